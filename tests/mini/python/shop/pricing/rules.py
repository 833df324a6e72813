from abc import ABC, abstractmethod
from .money import Money, euro


class Rule(ABC):
    @abstractmethod
    def apply(self, price: Money) -> Money:
        ...

    def chain(self, other):
        return Both(self, other)


class Discount(Rule):
    def __init__(self, rate):
        self.rate = rate

    def apply(self, price):
        with price as amount:
            return amount.times(self.rate)


class Both(Rule):
    def __init__(self, first, second):
        self.first = first
        self.second = second

    def apply(self, price):
        return self.second.apply(self.first.apply(price))


class Free(Discount):
    def __init__(self):
        super().__init__(0)

    def apply(self, price):
        return euro(0)


def best(rules: list[Rule], price: Money):
    found = None
    for rule in rules:
        found = rule.apply(price)
    return found


def unused_rule():
    return Free().chain(Discount(1))
