from http_store import AsyncHTTPStore


class RedisTapeStore(AsyncHTTPStore):
    def __init__(self, client, key_prefix):
        super().__init__(key_prefix)
