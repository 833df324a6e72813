import unittest
from shop.orders import Order, place
from shop.customers import Customer
from tests.helpers import make_item


class OrderTest(unittest.TestCase):
    def setUp(self):
        self.order = Order("k", Customer("c"))

    def test_add(self):
        self.order.add(make_item()).total()

    def test_place(self):
        place(Customer("c"), make_item()).ship()
