from billing import invoice as billing_invoice


def reconcile(open_invoices, country):
    return [billing_invoice.finalize(one, country) for one in open_invoices]
