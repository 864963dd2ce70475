from .anonymity.unmasking import AnonymityFinding as AnonymityFinding
from .anonymity.unmasking import unmask as unmask
from .attacking import attack as attack
from .attacking import attack_time as attack_time
from .canaries.judging import CanaryFinding as CanaryFinding
from .canaries.judging import judge_canaries as judge_canaries
from .canaries.pipeline import attack_pipeline as attack_pipeline
from .certifying import Told as Told
from .certifying import certificate_beside as certificate_beside
from .certifying import certify as certify
from .certifying_wholes import certify_copy as certify_copy
from .certifying_wholes import certify_look as certify_look
from .certifying_wholes import certify_stream as certify_stream
from .conformity.conforming import ConformPage as ConformPage
from .conformity.conforming import conform as conform
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
    "AnonymityFinding",
    "CanaryFinding",
    "ConformPage",
    "Finding",
    "Proof",
    "Told",
    "attack",
    "attack_pipeline",
    "attack_time",
    "certificate_beside",
    "certify",
    "certify_copy",
    "certify_look",
    "certify_stream",
    "conform",
    "judge_canaries",
    "prove_channel",
    "prove_decoder",
    "prove_domination",
    "prove_line",
    "prove_noise",
    "prove_rule",
    "unmask",
    "verify",
]
