from shop.orders import *
from shop.catalog import *
from shop.events import channel


def rows(orders):
    return [line.total() for order in orders for line in order.lines]


def summary(orders):
    table = rows(orders)
    channel("report").publish(table)
    total = max(orders, key=lambda order: order.total())
    total.ship()
    return render(table)


def render(table):
    def cell(value):
        return str(value)
    return [cell(value) for value in table]


class Report(Order):
    def total(self):
        return super().total().times(2)
