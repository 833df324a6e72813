"""A shop: what it sells, to whom, and how it is paid."""
from .catalog import Catalog, find as find_item
from .orders import *
from .pricing.rules import Discount, best

__all__ = ["Catalog", "find_item", "Order", "Discount", "best", "open_shop"]


def open_shop(name):
    catalog = Catalog(name)
    catalog.load()
    return catalog
