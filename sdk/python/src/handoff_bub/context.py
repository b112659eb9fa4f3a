"""The context of Bub's model, including the state of the last anchor."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bub.builtin.context import default_tape_context

from handoff_bub.bub_types import LAST_ANCHOR, TapeContext, TapeEntry, TapeQuery
from handoff_bub.store import FromLastAnchor

BOOTSTRAP = "session/start"


@dataclass(frozen=True)
class HandoffContext(TapeContext):
    """Bub's own context, starting with the last anchor instead of after it."""

    def build_query(self, query: TapeQuery) -> TapeQuery:
        return FromLastAnchor.of(query) if self.anchor is LAST_ANCHOR else super().build_query(query)


def handoff_context() -> TapeContext:
    """Build Bub's default context, with the anchor's state as its first message."""
    default = default_tape_context()

    def select(entries: Iterable[TapeEntry], context: TapeContext) -> Any:
        return default.select(with_state(list(entries), context), context)

    return HandoffContext(select=select)


def with_state(entries: list[TapeEntry], context: TapeContext) -> list[TapeEntry]:
    """Start with a message for the last anchor, if requested."""
    if context.anchor is not LAST_ANCHOR:
        return entries
    last = max((i for i, entry in enumerate(entries) if entry.kind == "anchor"), default=None)
    if last is None:
        return entries
    # `handoff tape handoff --bub` writes the same as a message, for a Bub without this package.
    rest = [entry for entry in entries[last + 1 :] if entry.meta.get("anchor_state") is not True]
    name, state = entries[last].payload.get("name"), entries[last].payload.get("state")
    if not state or name == BOOTSTRAP:
        return rest
    said = f"[Anchor created: {name}]: {json.dumps(state, ensure_ascii=False)}"
    # Some providers require that the first message is the user's.
    return [TapeEntry.message({"role": "user", "content": said}), *rest]
