import argparse
import shop
from shop import Catalog, open_shop, best
from shop.orders import place
from shop.customers import Guest
from shop.pricing import Discount, Money, taxes
from shop.storage.disk import open_store


def run(args):
    catalog = open_shop(args.name)
    item = shop.find_item(catalog, "pen")
    order = place(Guest("g"), item)
    best([Discount(2)], Money(3))
    taxes.tax(order.total())
    open_store(Catalog).flush()
    handler = getattr(shop, args.command)
    handler()
    return order


def main():
    parser = argparse.ArgumentParser()
    parser.set_defaults(func=run)
    args = parser.parse_args()
    args.func(args)


if __name__ == "__main__":
    main()
