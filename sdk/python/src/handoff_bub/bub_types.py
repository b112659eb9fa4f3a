"""Bub's types: in the package republic up to 0.3, in bub since."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bub.errors import BubError, ErrorKind
    from bub.store import TapeQuery
    from bub.tape import LAST_ANCHOR, TapeContext, TapeEntry
else:
    try:
        from bub.errors import BubError, ErrorKind
        from bub.store import TapeQuery
        from bub.tape import LAST_ANCHOR, TapeContext, TapeEntry
    except ImportError:  # Bub 0.3
        from republic.core.errors import ErrorKind
        from republic.core.results import RepublicError as BubError
        from republic.tape.context import LAST_ANCHOR, TapeContext
        from republic.tape.entries import TapeEntry
        from republic.tape.query import TapeQuery

__all__ = ["LAST_ANCHOR", "BubError", "ErrorKind", "TapeContext", "TapeEntry", "TapeQuery", "bub_home"]


def bub_home() -> Path:
    """Return Bub's home folder, from BUB_HOME or its settings."""
    import bub

    home = getattr(bub, "home", None)
    if home is None:  # Bub 0.3
        from bub.builtin.settings import load_settings

        home = load_settings().home
    return Path(home).expanduser().absolute()
