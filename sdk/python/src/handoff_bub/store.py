"""The tape store for Bub."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any, Protocol

from handoff_bub.bub_types import TapeEntry, TapeQuery
from handoff_bub.errors import HandoffError, MissingTape, no_anchor

SIDECAR = "__sidecar__"


class Tapes(Protocol):
    """Where tapes are: a server, or files. Each method raises HandoffError if it fails."""

    def names(self) -> list[str]: ...
    def delete(self, tape: str) -> None: ...
    def append(self, tape: str, entries: list[dict[str, Any]]) -> None: ...
    def read(self, tape: str, asked: list[tuple[str, str]]) -> list[dict[str, Any]]: ...
    def recover(self, tape: str) -> dict[str, Any]: ...


class FromLastAnchor(TapeQuery):
    """A query for the last anchor and everything after it.

    Bub's own begins after the anchor, and loses its state.
    """

    @classmethod
    def of(cls, query: TapeQuery) -> FromLastAnchor:
        return cls(**{f.name: getattr(query, f.name) for f in fields(query)})


class Unreadable(Iterable[TapeEntry]):
    """Entries that could not be read: iterating over them raises the error.

    Bub takes an error of ``fetch_all`` itself for a tape without entries. It
    would begin the tape anew, and the model would be asked without its context.
    """

    def __init__(self, error: HandoffError) -> None:
        self._error = error

    def __iter__(self) -> Iterator[TapeEntry]:
        raise self._error


class TapeStore:
    """A store with the interface of all versions of Bub, which call it from their own threads."""

    def __init__(self, tapes: Tapes) -> None:
        self.tapes = tapes

    def list_tapes(self) -> list[str]:
        return sorted(name for name in self.tapes.names() if SIDECAR not in name)

    def reset(self, tape: str) -> None:
        """Delete a tape; its entries are archived."""
        try:
            self.tapes.delete(tape)
        except MissingTape:
            pass

    def append(self, tape: str, entry: TapeEntry) -> None:
        self.append_all(tape, [entry])

    def append_all(self, tape: str, entries: Iterable[TapeEntry]) -> None:
        """Append all entries, or none."""
        self.tapes.append(tape, [as_json(e) for e in entries])

    def read(self, tape: str) -> list[TapeEntry] | None:
        try:
            return [entry_of(found) for found in self.tapes.read(tape, [])]
        except MissingTape:
            return None

    def fetch_all(self, query: TapeQuery) -> Iterable[TapeEntry]:
        try:
            if isinstance(query, FromLastAnchor):
                return self._from_last_anchor(query.tape)
            return self._query(query)
        except HandoffError as error:
            return Unreadable(error)

    def _from_last_anchor(self, tape: str) -> list[TapeEntry]:
        try:
            found = self.tapes.recover(tape)
        except MissingTape:
            return []
        entries = [entry_of(entry) for entry in found["entries"]]
        if anchor := found["anchor"]:
            payload = {"name": anchor["name"], "state": anchor.get("state") or {}}
            entries.insert(0, TapeEntry(anchor["id"], "anchor", payload, {}, anchor.get("date") or ""))
        return entries

    def _query(self, query: TapeQuery) -> list[TapeEntry]:
        asked = conditions(query)
        newest_first = bool(query._query)  # as Bub's own store answers a search
        if query._limit is not None and not newest_first:
            asked.append(("limit", str(query._limit)))
        try:
            found = [entry_of(entry) for entry in self.tapes.read(query.tape, asked)]
        except MissingTape:
            if error := no_anchor(asked):
                raise error from None
            return []
        return found[::-1][: query._limit] if newest_first else found


def conditions(query: TapeQuery) -> list[tuple[str, str]]:
    """Return the parameters of `GET /tapes/{tape}/entries` for a query, except its limit."""
    asked = [
        ("kind", kind) for given in query._kinds for kind in ([given] if isinstance(given, str) else given)
    ]
    if query._between_anchors is not None:
        asked += [("between", name) for name in query._between_anchors]
    elif query._after_last:
        asked.append(("last_anchor", "true"))
    elif query._after_anchor is not None:
        asked.append(("after_anchor", query._after_anchor))
    if query._between_dates is not None:
        asked += list(zip(("since", "until"), query._between_dates, strict=True))
    if query._query:
        asked.append(("text", query._query))
    return asked


def entry_of(found: dict[str, Any]) -> TapeEntry:
    return TapeEntry(found["id"], found["kind"], found["payload"], found.get("meta") or {}, found.get("date") or "")


def as_json(entry: TapeEntry) -> dict[str, Any]:
    """Return an entry as it is sent. It gets its id when it is appended."""
    return {"kind": entry.kind, "payload": finite(entry.payload), "meta": finite(entry.meta), "date": entry.date}


def finite(value: Any) -> Any:
    """Return a value without NaN and infinities, which are not JSON: they become null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return value
