from typing import Generic, TypeVar

T = TypeVar("T")


class Entity:
    registry = {}

    def __init__(self, key):
        self.key = key
        Entity.registry[key] = self

    def label(self):
        return self.describe() + str(self.key)

    def describe(self):
        return "entity"

    @property
    def owner(self):
        return self


class Repository(Generic[T]):
    def __init__(self, kind: type[T]):
        self.kind = kind
        self.items: dict[str, T] = {}

    def get(self, key) -> T:
        return self.items[key]

    def add(self, item: T):
        self.items[item.key] = item
        return item

    def __iter__(self):
        yield from self.items.values()
