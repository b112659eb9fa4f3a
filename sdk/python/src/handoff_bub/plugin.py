"""The plugin, which Bub loads through the package's entry point."""

from __future__ import annotations

from typing import Any

import pluggy

from handoff_bub.bub_types import TapeContext, bub_home
from handoff_bub.context import handoff_context
from handoff_bub.settings import tapes_from
from handoff_bub.store import TapeStore

hookimpl = pluggy.HookimplMarker("bub")


class Plugin:
    """Provides tapes, their context and, since Bub 0.5, their spilled results."""

    def __init__(self, framework: Any) -> None:
        self._store: TapeStore | None = None

    @property
    def store(self) -> TapeStore:
        if self._store is None:
            self._store = TapeStore(tapes_from(bub_home()))
        return self._store

    @hookimpl
    def provide_tape_store(self) -> TapeStore:
        return self.store

    @hookimpl
    def build_tape_context(self) -> TapeContext:
        return handoff_context()

    @hookimpl(optionalhook=True)
    def provide_tape_sidecar(self) -> Any:
        from handoff_bub.spill import WholeSpill

        return WholeSpill.beside(self.store)
