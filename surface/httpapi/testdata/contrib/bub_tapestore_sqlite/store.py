from http_store import AsyncHTTPStore as SQLiteTapeStore  # noqa: F401
