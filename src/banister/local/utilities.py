"""What a design may keep besides the named utilities: divergences of the user's own, from the floor below."""

from banister.core.laws.utility import Divergence, hockey_stick, power

__all__ = ["Divergence", "hockey_stick", "power"]
