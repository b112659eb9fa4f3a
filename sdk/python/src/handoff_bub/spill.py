"""Spilled tool results, since Bub 0.5.

Bub keeps a spilled result in memory until the turn ends, and then appends it in
pieces. If that fails, or the process ends before, the tape has handles to
results that nobody can read. Here a result is written at once and whole, before
the model is given its handle.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from bub.builtin.spill import SpillSettings, SpillStore
from bub.configure import ensure_config

from handoff_bub.bub_types import TapeEntry
from handoff_bub.store import TapeStore


@dataclass(frozen=True)
class WholeSpill(SpillStore):
    """Bub's own spill; its entries go to the store in one append."""

    store: TapeStore | None = field(default=None, repr=False)

    @classmethod
    def beside(cls, store: TapeStore) -> WholeSpill:
        return cls(ensure_config(SpillSettings), store=store)

    async def spill_tool_result(self, tape: Any, result: str, *, tool: str, run_id: str) -> str:
        if self.store is not None and self._is_kept(tape):
            tape = replace(tape, store=_AtOnce(tape.store, self.store, tape.sidecar_tape_name(self.name)))
        return await super().spill_tool_result(tape, result, tool=tool, run_id=run_id)

    def _is_kept(self, tape: Any) -> bool:
        """Return whether the turn is kept and the sidecar is not reset at its end."""
        session = str(tape.context.state.get("session_id", ""))
        resets = getattr(tape.store, "_reset_tapes", ())
        return not session.startswith("temp/") and tape.sidecar_tape_name(self.name) not in resets


class _AtOnce:
    """The store of one turn. It writes a spill together with its last entry, the manifest."""

    def __init__(self, turn: Any, store: TapeStore, sidecar: str) -> None:
        self._turn = turn
        self._store = store
        self._sidecar = sidecar
        self._entries: list[TapeEntry] = []

    async def append(self, tape: str, entry: TapeEntry) -> None:
        if tape != self._sidecar:
            await self._turn.append(tape, entry)
            return
        self._entries.append(entry)
        if entry.kind == "event":
            await asyncio.to_thread(self._store.append_all, tape, self._entries)
