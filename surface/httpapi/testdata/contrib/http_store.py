"""A store of Bub over the HTTP of `handoff serve`, whose address is HANDOFF_URL.

It is as thin as it can be, for the tests of other stores of Bub to run on it.
Each folder or address that those name is a set of tapes of its own.
"""

import hashlib
import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request

from bub.errors import BubError, ErrorKind
from bub.tape import TapeEntry

LONGEST = 100  # of a name as it is; a longer one is spelled by its hash


class HTTPStore:
    def __init__(self, place, newest_first=False):
        self.prefix = hashlib.sha256(str(place).encode()).hexdigest()[:8] + "."
        self.newest_first = newest_first  # what a search finds

    def list_tapes(self):
        names = [tape["name"] for tape in self._ask("GET", "")]
        return sorted(name.removeprefix(self.prefix) for name in names if name.startswith(self.prefix))

    def reset(self, tape):
        try:
            self._ask("DELETE", self._path(tape))
        except NoTape:
            pass

    def append(self, tape, entry):
        given = {"kind": entry.kind, "payload": entry.payload, "meta": entry.meta, "date": entry.date}
        self._ask("POST", self._path(tape) + "/entries", body={"bare": True, "entries": [given]})

    def read(self, tape):
        return self._entries(tape, [])

    def fetch_all(self, query):
        asked = [("kind", kind) for kind in self._kinds(query._kinds)]
        if query._between_anchors is not None:
            asked += [("between", name) for name in query._between_anchors]
        elif query._after_last:
            asked.append(("last_anchor", "true"))
        elif query._after_anchor is not None:
            asked.append(("after_anchor", query._after_anchor))
        if query._between_dates is not None:
            asked += zip(("since", "until"), query._between_dates)
        if query._query:
            asked.append(("text", query._query))
        newest_first = self.newest_first and query._query
        if query._limit is not None and not newest_first:
            asked.append(("limit", str(query._limit)))
        entries = self._entries(query.tape, asked)
        if newest_first:
            entries = entries[::-1][: query._limit]
        return entries

    @staticmethod
    def _kinds(kinds):
        return [kind for given in kinds for kind in ([given] if isinstance(given, str) else given)]

    def _entries(self, tape, asked):
        try:
            found = self._ask("GET", self._path(tape) + "/entries", query=asked)
        except NoTape:
            for name, value in asked:
                if name in ("after_anchor", "between") and value:
                    raise BubError(ErrorKind.NOT_FOUND, f"Anchor '{value}' was not found.") from None
                if name == "last_anchor":
                    raise BubError(ErrorKind.NOT_FOUND, "No anchors found in tape.") from None
            return []
        return [TapeEntry(e["id"], e["kind"], e["payload"], e["meta"], e["date"]) for e in found]

    def _path(self, tape):
        name = self.prefix + tape
        if len(name) > LONGEST:
            name = self.prefix + hashlib.sha256(tape.encode()).hexdigest()
        return "/" + urllib.parse.quote(name, safe="")

    def _ask(self, method, path, query=(), body=None):
        url = os.environ["HANDOFF_URL"] + "/tapes" + path + "?" + urllib.parse.urlencode(query)
        request = urllib.request.Request(url, method=method)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            detail = json.load(error)["detail"]
            if detail == "there is no such tape":
                raise NoTape from None
            if found := re.fullmatch(r"\[(\w+)\] (.*)", detail, re.DOTALL):
                raise BubError(ErrorKind(found[1]), found[2]) from None
            raise


class NoTape(Exception):
    pass


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
