"""Tapes over the HTTP of `handoff serve`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from handoff_client.client import Client, Event

Answer = dict[str, Any]


class Tapes:
    """What ``Client.tapes`` has. The members of each ``body`` and ``query`` are in docs/openapi.json; those that are left out have their defaults."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self, **query: Any) -> Any:
        """Return the tapes."""
        return self._client.request("GET", "/tapes", query)

    def get(self, tape: str) -> Answer:
        """Return the properties of a tape."""
        return self._get(tape, "", {})

    def create(self, tape: str, **query: Any) -> Answer:
        """Create a tape unless it exists; with ``bare=True`` without the anchor session/start."""
        return self._client.request("PUT", _at(tape), query)

    def delete(self, tape: str, **query: Any) -> Answer:
        """Archive a tape and remove it."""
        return self._client.request("DELETE", _at(tape), query)

    def handoff(self, tape: str, name: str = "", *, key: str = "", **body: Any) -> Answer:
        """Append an anchor, at which the context starts over, and its event: ``summary``, ``next_steps``, ``state``."""
        return self._post(tape, "handoff", {**({"name": name} if name else {}), **body}, self._client.key(key))

    def anchors(self, tape: str, **query: Any) -> Any:
        """Return the latest anchors."""
        return self._get(tape, "/anchors", query)

    def archives(self, tape: str) -> Any:
        """Return what was archived of a tape, the newest first."""
        return self._get(tape, "/archives", {})

    def search(self, tape: str, text: str, **query: Any) -> Any:
        """Return the entries that contain a text, the newest first."""
        return self._get(tape, "/search", {"text": text, **query})

    def context(self, tape: str, **query: Any) -> Answer:
        """Return the context for a model; ``for_`` is ``openai`` or ``anthropic``."""
        return self._get(tape, "/context", {name.rstrip("_"): value for name, value in query.items()})

    def recover(self, tape: str) -> Answer:
        """Return where an agent that was started again resumes."""
        return self._get(tape, "/recover", {})

    def fork(self, tape: str, to: str = "", *, key: str = "", **body: Any) -> Answer:
        """Create a tape that continues from this one: ``from_anchor``, ``from_entry``, ``intention``, ``link``."""
        return self._post(tape, "fork", {**({"to": to} if to else {}), **body}, self._client.key(key))

    def merge(self, fork: str, **body: Any) -> Answer:
        """Append a fork's own entries to its parent, and archive the fork."""
        return self._post(fork, "merge", body)

    def discard(self, fork: str, **body: Any) -> Answer:
        """Archive a fork without merging it."""
        return self._post(fork, "discard", body)

    def reset(self, tape: str, *, key: str = "", **body: Any) -> Answer:
        """Archive the entries of a tape, and start it again."""
        return self._post(tape, "reset", body, self._client.key(key))

    def exec(self, tape: str, command: str, **body: Any) -> Answer:
        """Run a comma command, as a model writes it."""
        return self._post(tape, "exec", {"command": command, **body})

    def send(self, tape: str, sender: str, to: str, **body: Any) -> Answer:
        """Return an envelope that hands the tape over to another agent."""
        return self._post(tape, "send", {"from": sender, "to": to, **body})

    def receive(self, tape: str, envelope: Answer, **query: Any) -> Answer:
        """Append what an envelope contains, once."""
        return self._client.request("POST", _at(tape) + "/receive", query, envelope)

    def events(self, tape: str, after: str = "", **query: Any) -> Iterator[Event]:
        """Yield the entries of a tape so far, then each as it is written, over resets. A fork that ends, ends in a 404."""
        return self._client.follow(_at(tape) + "/events", after, **query)

    def _get(self, tape: str, what: str, query: dict[str, Any]) -> Any:
        return self._client.request("GET", _at(tape) + what, query)

    def _post(self, tape: str, what: str, body: dict[str, Any], key: str = "") -> Answer:
        return self._client.request("POST", f"{_at(tape)}/{what}", body=body, key=key)


def _at(tape: str) -> str:
    return "/tapes/" + quote(tape, safe="")
