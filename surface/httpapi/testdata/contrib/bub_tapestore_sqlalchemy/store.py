from http_store import HTTPStore


class SQLAlchemyTapeStore(HTTPStore):
    def __init__(self, url):
        super().__init__(url, newest_first=True)
