from .attacking import attack as attack
from .finding import Finding as Finding
from .proof import Proof as Proof
from .proving.channel import prove_channel as prove_channel
from .proving.domination import prove_domination as prove_domination
from .proving.line import prove_line as prove_line
from .proving.noise import prove_noise as prove_noise
from .proving.rule import prove_decoder as prove_decoder
from .proving.rule import prove_rule as prove_rule
from .verifying import verify as verify

__all__ = [
    "Finding",
    "Proof",
    "attack",
    "prove_channel",
    "prove_decoder",
    "prove_domination",
    "prove_line",
    "prove_noise",
    "prove_rule",
    "verify",
]
