from shop.catalog import Item


def make_item():
    return Item("pen", 2)
