from shop.base import Repository


class MemoryStore(Repository):
    def flush(self):
        self.items.clear()

    def get(self, key):
        return self.items.get(key)
