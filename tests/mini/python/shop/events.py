import functools

_channels = {}


class Channel:
    def __init__(self):
        self.listeners = []

    def publish(self, event):
        for listener in self.listeners:
            listener(event)

    def connect(self, listener):
        self.listeners.append(listener)
        return self


def channel(name):
    if name not in _channels:
        _channels[name] = Channel()
    return _channels[name]


def subscribe(name):
    def wrap(function):
        @functools.wraps(function)
        def inner(*args):
            return function(*args)
        channel(name).connect(inner)
        return inner
    return wrap


def __getattr__(name):
    return channel(name)
