from shop.a import *
from shop import a


def pong(n):
    return a.ping(n) or ping(n)


class B(a.A):
    def peer(self):
        return a.A().peer()
