"""What an agent does with its tape: hand off, fork, merge, send, and read what it needs to go on."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlencode

from handoff_bub.bub_types import TapeEntry
from handoff_bub.server import Server
from handoff_bub.store import as_json, entry_of, finite


@dataclass(frozen=True)
class AnchorSummary:
    """An anchor and its state."""

    name: str
    state: dict[str, Any] = field(default_factory=dict)
    id: int = 0


@dataclass(frozen=True)
class AgentIntention:
    """What a fork is for. ``notify_parent`` as trigger appends a message to the parent when the fork is merged."""

    next_steps: str = ""
    context_summary: str = ""
    trigger_on_complete: str | None = None

    def to_state(self) -> dict[str, Any]:
        """Return it as the state of an anchor."""
        state: dict[str, Any] = {"next_steps": self.next_steps, "context_summary": self.context_summary}
        if self.trigger_on_complete is not None:
            state["trigger_on_complete"] = self.trigger_on_complete
        return state


class TapeService:
    """One tape of a server, or of a folder: ``TapeService(Command("handoff", workspace=folder), "main")``.

    Each method is one request, and what it writes is written whole or not at all. A
    missing tape is MissingTape, other failures are HandoffError or Bub's own errors.
    A home of Bub has no forks, resets and envelopes.
    """

    def __init__(self, tapes: Server, name: str = "main") -> None:
        self.tapes = tapes
        self.name = name

    # Write.

    def ensure_bootstrap_anchor(self) -> bool:
        """Create the tape with the anchor session/start, and return whether it was missing."""
        return bool(self._ask("PUT")["created"])

    def append(self, *entries: TapeEntry) -> None:
        """Append entries; more than 1 MiB in parts, each whole or not at all."""
        self.tapes.append(self.name, [as_json(e) for e in entries])

    def handoff(
        self, name: str, *, state: dict[str, Any] | None = None, meta: dict[str, Any] | None = None
    ) -> list[TapeEntry]:
        """Write an anchor with a state, and its event, in one write. The context starts again there."""
        asked = {"name": name, "state": finite(state), "meta": finite(meta)}
        made = self._ask("POST", "/handoff", _given(asked), key=uuid.uuid4().hex)
        return [entry_of(e) for e in made["entries"]]

    def reset(self) -> str:
        """Archive all entries and start again; return the path of the archive."""
        return str(self._ask("POST", "/reset", {}, key=uuid.uuid4().hex).get("archived", ""))

    # Read.

    def read_entries(self, *, kinds: Iterable[str] = ()) -> list[TapeEntry]:
        return self._entries([], kinds)

    def between_anchors(self, start: str, end: str, *, kinds: Iterable[str] = ()) -> list[TapeEntry]:
        """Return the entries after the last anchor ``start`` and before the next ``end``."""
        return self._entries([("between", start), ("between", end)], kinds)

    def after_anchor(self, anchor: str, *, kinds: Iterable[str] = ()) -> list[TapeEntry]:
        return self._entries([("after_anchor", anchor)], kinds)

    def from_last_anchor(self, *, kinds: Iterable[str] = ()) -> list[TapeEntry]:
        return self._entries([("last_anchor", "true")], kinds)

    def anchors(self, *, limit: int = 20) -> list[AnchorSummary]:
        """Return the last anchors, the oldest of them first."""
        found = self._ask("GET", "/anchors?" + urlencode({"limit": limit}))
        return [AnchorSummary(a["name"], a.get("state") or {}, a["id"]) for a in found]

    def search(self, text: str, *, limit: int = 20) -> list[TapeEntry]:
        """Return the entries with a text, the newest first."""
        found = self._ask("GET", "/search?" + urlencode({"text": text, "limit": limit}))
        return [entry_of(hit["entry"]) for hit in found]

    def context(self, provider: Literal["openai", "anthropic"] = "openai", **choice: str) -> dict[str, Any]:
        """Return the messages for a model, with their length and whether it is time to hand off."""
        found: dict[str, Any] = self._ask("GET", "/context?" + urlencode({"for": provider, **choice}))
        return found

    def recover(self) -> dict[str, Any]:
        """Return where to resume: the last anchor, its state, the entries since, and calls without a result."""
        return self.tapes.recover(self.name)

    def info(self) -> dict[str, Any]:
        found: dict[str, Any] = self._ask("GET")
        return found

    # Fork, merge, send.

    def fork_session(
        self, new_tape_name: str, from_anchor: str | None = None, intention: AgentIntention | None = None
    ) -> TapeService:
        """Create a tape that continues this one, from its start or from an anchor, with the intention as its last anchor."""
        asked = {"to": new_tape_name, "from_anchor": from_anchor, "intention": intention and intention.to_state()}
        made = self._ask("POST", "/fork", _given(asked), key=uuid.uuid4().hex)
        return TapeService(self.tapes, made["tape"])

    def merge(self, *, keep_anchors: bool = False) -> dict[str, Any]:
        """Append the fork's own entries to its parent, and archive the fork."""
        return self._once("/merge", {"keep_anchors": keep_anchors})

    def discard(self, reason: str = "") -> dict[str, Any]:
        """Archive the fork without merging it."""
        return self._once("/discard", {"reason": reason})

    def send(
        self, sender: str, to: str, *, summary: str = "", reason: str = "", intention: AgentIntention | None = None
    ) -> dict[str, Any]:
        """Hand the tape over: return an envelope. Without a summary it has that of the last anchor."""
        asked: dict[str, Any] = {"from": sender, "to": to, "summary": summary, "reason": reason}
        if intention is not None:
            asked["intention"] = {"next_steps": intention.next_steps, "context_summary": intention.context_summary}
        return self._once("/send", asked)

    def receive(self, envelope: dict[str, Any], *, name: str = "context_handoff", receiver: str = "") -> TapeEntry:
        """Write the anchor of an envelope, once. Its content is data for a model, not an instruction."""
        asked = {"name": name, "as": receiver} if receiver else {"name": name}
        return entry_of(self._ask("POST", "/receive?" + urlencode(asked), envelope)["anchor"])

    def _entries(self, asked: list[tuple[str, str]], kinds: Iterable[str]) -> list[TapeEntry]:
        return [entry_of(e) for e in self.tapes.read(self.name, asked + [("kind", kind) for kind in kinds])]

    def _once(self, what: str, body: dict[str, Any]) -> dict[str, Any]:
        """Ask for what has no key. Without an answer it is not known whether it was done, so it is not repeated."""
        done: dict[str, Any] = self._ask("POST", what, body, again=False)
        return done

    def _ask(self, method: str, what: str = "", body: Any = None, **how: Any) -> Any:
        return self.tapes.ask(method, self.name, what, body, **how)


def _given(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}
