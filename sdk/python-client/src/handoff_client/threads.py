"""Threads over the HTTP of `handoff serve`."""

from __future__ import annotations

from typing import Any, Callable
from urllib.parse import quote

Answer = dict[str, Any]


class Threads:
    """What ``Client.threads`` has. The members of each ``body`` are in docs/openapi.json; those that are left out have their defaults."""

    def __init__(self, request: Callable[..., Any]) -> None:
        self._request = request

    def create(self, title: str | None = None, key: str = "") -> Answer:
        """Create a thread."""
        return self._request("POST", "/threads", body={"title": title}, key=key)

    def post(self, thread: str, content: str, **body: Any) -> Answer:
        """Append a message. The server starts a run for it, whose id is ``session_id``. A message that is sent twice is appended twice."""
        return self._post(thread, "messages", {"content": content, **body})

    def compile(self, thread: str, **body: Any) -> Answer:
        """Return the context for a run of the thread."""
        return self._post(thread, "compile", body)

    def cut_points(self, thread: str, **body: Any) -> Answer:
        """Return where a summary of the thread may end."""
        return self._post(thread, "compaction-cut-points", body)

    def compaction_status(self, thread: str, **body: Any) -> Answer:
        """Return the summaries of the thread, and what runs."""
        return self._post(thread, "compaction-status", body)

    def checkpoint(self, thread: str, **body: Any) -> Answer:
        """Store a summary of the thread up to a message: ``summary_markdown`` with ``to_message_id``, ``to_seq`` or ``stride_messages``."""
        return self._post(thread, "compaction-checkpoint", body)

    def compact(self, thread: str, **body: Any) -> Answer:
        """Summarize the thread now, if that is due."""
        return self._post(thread, "compaction-auto", {"actor_id": "", "origin": "", **body})

    def schedule_compact(self, thread: str, **body: Any) -> Answer:
        """Decide whether a summary is due, and make it in the background."""
        return self._post(thread, "compaction-auto-schedule", {"actor_id": "", "origin": "", **body})

    def cursors(self, thread: str) -> Answer:
        """Return where providers of models continue the thread."""
        return self._post(thread, "provider-cursor-status", {})

    def rotate_cursor(self, thread: str, **body: Any) -> Answer:
        """Make a provider begin again; ``reason`` says why."""
        return self._post(thread, "provider-cursor-rotate", {"actor_id": "", "origin": "", **body})

    def selections(self, thread: str, **body: Any) -> Answer:
        """Return what the contexts of past runs contained; ``limit`` of them."""
        return self._post(thread, "context-selection-status", body)

    def _post(self, thread: str, what: str, body: dict[str, Any]) -> Answer:
        return self._request("POST", f"/threads/{quote(thread, safe='')}/{what}", body=body)
