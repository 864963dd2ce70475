"""Normal numbers in doubles, each so close to an ideal one that the distance can be proven harmless.

Where a normal number is only a part of what exact noise hides, it need not be exact: it is enough that an ideal X
exists, on the same bits, with |x - X| small. `banister.publish.sketches.cut` counts that distance as delta.
"""

import numpy as np
from numpy.typing import NDArray

from banister.sampling.bits import BitSource
from banister.sampling.rounded import NormalSize, trusted

RELATIVE_ERROR = 2.0**-40
"""Error granted to the double quantile, a thousand times what the library in use shows; `trusted` looks at it first."""


def near_normals(count: int, bits: BitSource) -> NDArray[np.float64]:
    """Doubles x with ideal normals X, |x - X| ≤ 2^-40 |X| + 4/word + 2^-50, the word being a uniform 63-bit number.

    The word fixes P(|X| > x) to 63 bits, of which a double keeps 53; the last bit is the sign.
    """
    from scipy.special import ndtri

    trusted(NormalSize())
    words = bits.words(count, 64).view(np.uint64)
    tail = (words >> np.uint64(1)).astype(np.float64)
    tail += 0.5
    tail *= 2.0**-64
    values: NDArray[np.float64] = ndtri(tail, out=tail)
    np.negative(values, out=values, where=(words & np.uint64(1)).astype(np.bool_))
    return values
