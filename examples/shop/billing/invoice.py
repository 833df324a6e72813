"""An invoice, from its lines to the sum that is asked for."""
from billing.tax import with_tax


class Invoice:
    def __init__(self, customer, lines):
        self.customer = customer
        self.lines = lines
        self.total = None

    def add(self, name, price):
        self.lines.append((name, price))


def finalize(invoice, country):
    """Fixes the total; an invoice is never changed after this."""
    invoice.total = with_tax(net(invoice), country)
    return invoice


def net(invoice):
    return sum(price for _, price in invoice.lines)


def legacy_total(invoice):
    return round(net(invoice) * 1.19, 2)
