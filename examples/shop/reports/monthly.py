from billing.invoice import net
from jobs.monthly import subscriptions


def revenue(customers, price):
    return sum(net(invoice) for invoice in subscriptions(customers, price))
