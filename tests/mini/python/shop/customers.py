from dataclasses import dataclass
from .base import Entity


@dataclass
class Address:
    street: str
    city: "City"

    def print_label(self):
        return self.city.name + self.street


class City:
    name = "here"

    @classmethod
    def home(cls):
        return cls()

    @staticmethod
    def distance(a, b):
        return 1


class Customer(Entity):
    address: Address

    def __init__(self, key, address=None):
        super().__init__(key)
        self.address = address or Address("street", City.home())

    def describe(self):
        return "customer"

    def move(self, city):
        City.distance(self.address.city, city)
        self.address = Address("new", city)


class Guest(Customer):
    def describe(self):
        return "guest " + super().describe()
