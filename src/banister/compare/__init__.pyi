from .pictures import draw_trust as draw_trust
from .trust import Price as Price
from .trust import Trust as Trust
from .trust import price_of_test as price_of_test
from .trust import price_of_trust as price_of_trust

__all__ = [
    "Price",
    "Trust",
    "draw_trust",
    "price_of_test",
    "price_of_trust",
]
