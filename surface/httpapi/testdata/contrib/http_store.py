"""The store of sdk/python, for the tests of other stores of Bub to run on it.

Each folder or address that those tests name is a set of tapes of its own.
"""

import hashlib
import os
from dataclasses import replace

from handoff_bub import Server, TapeStore


class HTTPStore(TapeStore):
    def __init__(self, place, newest_first=False):
        super().__init__(Server(os.environ["HANDOFF_URL"]))
        self.prefix = hashlib.sha256(str(place).encode()).hexdigest()[:8] + "."
        self.newest_first = newest_first  # what a search finds

    def name(self, tape):
        return self.prefix + tape

    def list_tapes(self):
        names = super().list_tapes()
        return [name.removeprefix(self.prefix) for name in names if name.startswith(self.prefix)]

    def reset(self, tape):
        super().reset(self.name(tape))

    def append(self, tape, entry):
        super().append(self.name(tape), entry)

    def read(self, tape):
        return super().read(self.name(tape)) or []

    def fetch_all(self, query):
        asked = replace(query, tape=self.name(query.tape))
        if not query._query or self.newest_first:
            return super().fetch_all(asked)
        found = list(super().fetch_all(replace(asked, _limit=None)))[::-1]
        return found[: query._limit]


class AsyncHTTPStore:
    """The same, as Bub's agents have it."""

    def __init__(self, place):
        self.store = HTTPStore(place)

    async def list_tapes(self):
        return self.store.list_tapes()

    async def reset(self, tape):
        self.store.reset(tape)

    async def append(self, tape, entry):
        self.store.append(tape, entry)

    async def fetch_all(self, query):
        return self.store.fetch_all(query)

    async def close(self):
        pass
