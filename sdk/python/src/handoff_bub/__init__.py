"""Bub on tapes of handoff.

Bub finds :class:`~handoff_bub.plugin.Plugin` by its entry point. A program can
use :class:`TapeStore` by itself, with :class:`Server` or :class:`Command` below
it.
"""

from handoff_bub.errors import HandoffError, MissingTape
from handoff_bub.files import Command
from handoff_bub.server import Server
from handoff_bub.service import AgentIntention, AnchorSummary, TapeService
from handoff_bub.settings import tapes_from
from handoff_bub.store import TapeStore

__all__ = [
    "AgentIntention",
    "AnchorSummary",
    "Command",
    "HandoffError",
    "MissingTape",
    "Server",
    "TapeService",
    "TapeStore",
    "tapes_from",
]
