from __future__ import annotations
from .base import Entity, Repository
from .pricing import money
from . import events as bus


class Item(Entity):
    def __init__(self, key, price):
        super().__init__(key)
        self.price = money.Money(price)

    def describe(self):
        return "item"

    def discounted(self, rule):
        return rule.apply(self.price)


class Bundle(Item):
    def __init__(self, key, items):
        self.items = list(items)
        super().__init__(key, sum(item.price.amount for item in self.items))

    def describe(self):
        return "bundle of " + ", ".join(item.describe() for item in self.items)


class Catalog:
    def __init__(self, name):
        self.name = name
        self.items = Repository(Item)
        self.on_change = bus.Channel()

    def load(self):
        self.items.add(Item("pen", 2))
        self.items.add(Bundle("set", [self.items.get("pen")]))
        self.on_change.publish("loaded")

    def lookup(self, key) -> Item:
        return self.items.get(key)


def find(catalog: Catalog, key):
    item = catalog.lookup(key)
    item.label()
    return item
