"""Errors, and the conversion of query errors to Bub's."""

from __future__ import annotations

import re

from handoff_bub.bub_types import BubError, ErrorKind


class HandoffError(RuntimeError):
    """The tapes could not be read or written."""


class MissingTape(LookupError):
    """The tape does not exist."""


class TooLong(HandoffError):
    """What was asked for has more entries than the server puts into one answer."""


def query_error(detail: str) -> BubError | None:
    """Return Bub's own error for a message such as "[not_found] Anchor 'x' was not found."."""
    found = re.fullmatch(r"\[(\w+)\] (.*)", detail, re.DOTALL)
    if not found or found[1] not in {kind.value for kind in ErrorKind}:
        return None
    return BubError(ErrorKind(found[1]), found[2])


def no_anchor(asked: list[tuple[str, str]]) -> BubError | None:
    """Return the error for the anchors of a query on a missing tape, which has none."""
    for name, value in asked:
        if name == "last_anchor":
            return BubError(ErrorKind.NOT_FOUND, "No anchors found in tape.")
        if name in ("after_anchor", "between") and value:
            return BubError(ErrorKind.NOT_FOUND, f"Anchor '{value}' was not found.")
    return None
