from billing import Invoice, finalize


def subscriptions(customers, price):
    for customer in customers:
        yield finalize(Invoice(customer, [("subscription", price)]), customer["country"])
