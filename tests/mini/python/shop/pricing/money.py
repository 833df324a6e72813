class Money:
    def __init__(self, amount, currency="EUR"):
        self.amount = amount
        self.currency = currency

    def times(self, count):
        return Money(self.amount * count, self.currency)

    def plus(self, other):
        return self.same(other) and Money(self.amount + other.amount)

    def same(self, other):
        return self.currency == other.currency

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def __call__(self):
        return self.amount


def euro(amount):
    return Money(amount)
