from billing.invoice import Invoice, finalize


def checkout(basket, customer):
    invoice = Invoice(customer, [])
    for name, price in basket:
        invoice.add(name, price)
    return finalize(invoice, customer["country"])


def preview(basket, customer):
    return finalize(Invoice(customer, list(basket)), customer["country"]).total
