"""Invoices and what is owed."""
from billing.invoice import Invoice, finalize

__all__ = ["Invoice", "finalize"]
