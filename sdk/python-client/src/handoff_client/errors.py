"""Why the server refused a request."""

from __future__ import annotations

import json
from typing import Any


class HandoffError(Exception):
    """The server refused a request, or failed. If no server answers, the error is an OSError.

    ``type`` tells refusals apart (``urn:handoff:held``, …; ``about:blank`` if the status says everything), and ``problem``
    has the members of its type: ``holder``, ``until``, ``findings``, …. ``retry_after`` is in seconds, None if unknown.
    """

    def __init__(self, status: int, body: bytes, media: str = "", retry_after: str = "") -> None:
        self.status = status
        self.problem: dict[str, Any] = _problem(body) if media.startswith("application/problem+json") else {}
        self.type = str(self.problem.get("type", "about:blank"))
        self.title = str(self.problem.get("title", f"status {status}"))
        self.detail = str(self.problem.get("detail", ""))
        self.retry_after = float(retry_after) if retry_after.isdecimal() else None
        super().__init__(f"{status} {self.title}" + (f": {self.detail}" if self.detail else ""))


def _problem(body: bytes) -> dict[str, Any]:
    try:
        decoded = json.loads(body)
    except ValueError:
        return {}
    return decoded if isinstance(decoded, dict) else {}
