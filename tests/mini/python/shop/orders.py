from shop.base import Entity
from shop.customers import Customer, Address
from shop.events import Channel, subscribe

__all__ = ["Order", "OrderLine", "place"]


class OrderLine:
    def __init__(self, item, count=1):
        self.item = item
        self.count = count

    def total(self):
        return self.item.price.times(self.count)


class Order(Entity):
    placed = Channel()

    def __init__(self, key, customer: Customer):
        super().__init__(key)
        self.customer = customer
        self.lines = []

    def add(self, item, count=1):
        line = OrderLine(item, count)
        self.lines.append(line)
        return line

    def total(self):
        result = None
        for line in self.lines:
            result = line.total()
        return result

    def ship(self):
        self.customer.address.print_label()
        self.placed.publish(self)

    def describe(self):
        return "order of " + self.customer.label()


@subscribe("placed")
def on_placed(order: Order):
    order.ship()


def place(customer, item):
    order = Order("o1", customer)
    order.add(item)
    _check(order)
    order.placed.publish(order)
    return order


def _check(order):
    if not order.lines:
        raise ValueError(order.label())
