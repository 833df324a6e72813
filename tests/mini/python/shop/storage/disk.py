import json
import os.path
from shop.storage.memory import MemoryStore
try:
    from shop.storage.fast import Codec
except ImportError:
    class Codec:
        def encode(self, value):
            return json.dumps(value)


class DiskStore(MemoryStore):
    codec = Codec()

    def flush(self):
        super().flush()
        self.write(self.codec.encode(self.items))

    def write(self, text):
        with open(os.path.join("x", "y")) as file:
            file.write(text)


def open_store(kind):
    stores = [MemoryStore(kind), DiskStore(kind)]
    for store in stores:
        store.flush()
    return stores[0]
