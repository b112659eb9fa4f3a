"""Threads and their runs over the HTTP of `handoff serve`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from handoff_client.client import Client, Event

Answer = dict[str, Any]


class Threads:
    """What ``Client.threads`` has. The members of each ``body`` are in docs/openapi.json; those that are left out have their defaults."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def create(self, title: str | None = None, key: str = "") -> Answer:
        """Create a thread."""
        return self._client.request("POST", "/threads", body={"title": title}, key=self._client.key(key))

    def ensure(self) -> Answer:
        """Return the default thread, which is created if it does not exist."""
        return self._client.request("POST", "/threads/ensure")

    def list(self, **query: Any) -> Any:
        """Return all threads; ``limit`` and ``after`` select some."""
        return self._client.request("GET", "/threads", query)

    def get(self, thread: str) -> Answer:
        """Return the properties of a thread."""
        return self._client.request("GET", _at(thread))

    def lineage(self, thread: str) -> Answer:
        """Return the tree of threads that a thread belongs to."""
        return self._client.request("GET", _at(thread) + "/lineage")

    def branch(self, thread: str, *, from_seq: int | None = None, from_message_id: str | None = None, key: str = "", **body: Any) -> Answer:
        """Create a thread that inherits everything up to a cut: an event, a message with its runs, or the end."""
        return self._post(thread, "branch", {"from_seq": from_seq, "from_message_id": from_message_id, **body}, self._client.key(key))

    def handoff(
        self, thread: str, summary_markdown: str | None = None, *, from_seq: int | None = None, from_message_id: str | None = None, key: str = "", **body: Any
    ) -> Answer:
        """Create a thread that starts from a summary; ``refs`` names what its successor should look at."""
        cut = {"from_seq": from_seq, "from_message_id": from_message_id}
        return self._post(thread, "handoff", {"summary_markdown": summary_markdown, **cut, **body}, self._client.key(key))

    def reference(self, thread: str, other: str, **body: Any) -> Answer:
        """Refer to another thread up to a cut; contexts with ``refs`` include it."""
        return self._post(thread, "references", {"to_thread_id": other, **body})

    def archive(self, thread: str) -> Answer:
        """Archive a thread. It can still be read and written."""
        return self._post(thread, "archive", {})

    def unarchive(self, thread: str) -> Answer:
        """Take a thread out of the archive."""
        return self._post(thread, "unarchive", {})

    def rename(self, thread: str, title: str | None) -> Answer:
        """Change the title of a thread; None removes it."""
        return self._post(thread, "rename", {"title": title})

    def events(self, thread: str, after: str = "", **query: Any) -> Iterator[Event]:
        """Yield the events of a thread so far, then each as it happens; ``inherited=True`` begins with what a branch inherits."""
        return self._client.follow(_at(thread) + "/events", after, **query)

    def post(self, thread: str, content: str, key: str = "", **body: Any) -> Answer:
        """Append a message. The server starts a run for it, whose id is ``session_id``."""
        return self._post(thread, "messages", {"content": content, **body}, self._client.key(key))

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

    def _post(self, thread: str, what: str, body: dict[str, Any], key: str = "") -> Answer:
        return self._client.request("POST", f"{_at(thread)}/{what}", body=body, key=key)


class Sessions:
    """What ``Client.sessions`` has: runs."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def create(self) -> Answer:
        """Create a session that waits for input."""
        return self._client.request("POST", "/sessions")

    def send(self, session: str, text: str, **body: Any) -> None:
        """Send a session its input, and start the run."""
        self._client.request("POST", _run(session) + "/input", body={"input": text, **body})

    def cancel(self, session: str) -> None:
        """Cancel a run."""
        self._client.request("POST", _run(session) + "/cancel")

    def events(self, session: str, after: str = "") -> Iterator[Event]:
        """Yield the events of a run until it ends."""
        return self._client.follow(_run(session) + "/events", after)


def _at(thread: str) -> str:
    return "/threads/" + quote(thread, safe="")


def _run(session: str) -> str:
    return "/sessions/" + quote(session, safe="")
