"""Every way to measure counts that go on that is worth comparing."""

from banister.core.laws.ahead import ahead_factors
from banister.core.laws.factors import Factor, causal_factors


def candidates(periods: int, window: int) -> tuple[Factor, ...]:
    """Noise each period, trees, the square root, and blocks by least squares, whose noise is drawn ahead.

    >>> [way.name for way in candidates(365, 365) if way.ahead][1]
    'blocks of 1, 9 and 135 by least squares'
    """
    return (*causal_factors(periods, window), *ahead_factors(periods, window))
