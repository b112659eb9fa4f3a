"""Tapes over the HTTP of `handoff serve`."""

from __future__ import annotations

import http.client
import json
import logging
import random
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from handoff_bub.errors import HandoffError, MissingTape, TooLong, query_error

TRY_AGAIN = {408, 425, 429, 502, 503, 504}
LOG = logging.getLogger("handoff_bub")
# One request has at most as much as one write of the server; an entry that is larger goes alone.
PART_BYTES = 1 << 20
PART_ENTRIES = 5_000
MOST = 17 << 20  # bytes of a request
TIMEOUT = 60.0  # seconds for one answer


class Server:
    """The tapes of the workspace that a server serves.

    Temporary failures are retried for ``patience`` seconds. An append has an
    idempotency key, so repeating it has no further effect.
    """

    def __init__(
        self, url: str, token: str = "", patience: float = 30.0, fresh: Callable[[], str] | None = None
    ) -> None:
        self._unix = url.removeprefix("unix:").removeprefix("//") if url.startswith("unix:") else ""
        self._url = urlsplit("http://localhost" if self._unix else url)
        if self._url.scheme not in ("http", "https") or not self._url.hostname or self._url.query or self._url.username:
            raise HandoffError(f"HANDOFF_URL {url!r}: expected a URL like http://127.0.0.1:7341, or unix:PATH")
        self._shown = url
        self._token = token
        self._fresh = fresh  # reads the token again: a server that was started anew has another one
        self._patience = patience
        self.queued = 0  # appends to the tape read last that wait for the server's store

    def names(self) -> list[str]:
        return [tape["name"] for tape in self._ask("GET", "/tapes")]

    def delete(self, tape: str) -> None:
        """Archive and delete a tape."""
        self._ask("DELETE", _path(tape))

    def append(self, tape: str, entries: list[dict[str, Any]]) -> None:
        """Append all entries, in their order. A missing tape is created bare.

        Those of more than 1 MiB are sent in parts, each of which is appended whole or not at all.
        """
        key = uuid.uuid4().hex
        parts = list(_parts(entries))  # all are encoded before the first is sent
        for n, data in enumerate(parts):
            self._ask("POST", _path(tape) + "/entries", data, key=key if n == 0 else f"{key}#{n + 1}")

    def read(self, tape: str, asked: list[tuple[str, str]]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._ask("GET", _path(tape) + "/entries?" + urlencode(asked))
        return found

    def recover(self, tape: str) -> dict[str, Any]:
        """Return the last anchor and the entries since, from one consistent read."""
        try:
            found: dict[str, Any] = self._ask("GET", _path(tape) + "/recover")
        except TooLong as error:
            self._hand_off(tape, error)
            found = self._ask("GET", _path(tape) + "/recover")
        return found

    def _hand_off(self, tape: str, why: TooLong) -> None:
        """Hand off because no model could get what the tape has since its last anchor."""
        LOG.warning("tape %s: handed off by itself: %s", tape, why)
        data = json.dumps({"overflow": f"context length exceeded: {why}"}).encode()
        try:
            self._ask("POST", _path(tape) + "/handoff", data)
        except TooLong:
            raise
        except HandoffError as error:
            try:  # it may have been done, and its answer lost: then there is nothing more to leave out
                self._ask("GET", _path(tape) + "/recover")
            except HandoffError:
                raise HandoffError(f"{why}; and handing off failed: {error}") from error

    def ask(self, method: str, tape: str, what: str = "", body: Any = None, *, key: str = "", again: bool = True) -> Any:
        """Ask for an operation at a tape, as the server's OpenAPI document describes it.

        Without ``again`` the request is not repeated if there is no answer.
        """
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        return self._ask(method, _path(tape) + what, data, key, again)

    def _ask(self, method: str, path: str, data: bytes | None = None, key: str = "", again: bool = True) -> Any:
        headers = {"Accept": "application/json"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        if key:
            headers["Idempotency-Key"] = key
        until, tried = time.monotonic() + self._patience, 0
        while True:
            try:
                if used := self._token:
                    headers["Authorization"] = "Bearer " + used
                status, answer, wait = self._send(method, path, data, headers, again)
                if status == 401 and self._renewed(used):
                    continue
                if status not in TRY_AGAIN:
                    return self._result(method, status, answer)
                trouble = f"status {status}"
            except (OSError, http.client.HTTPException) as error:
                trouble, wait = str(error) or type(error).__name__, 0.0
            tried += 1
            wait = max(wait, random.uniform(0.5, 1) * min(2.0, 0.05 * 2**tried))
            if not again or time.monotonic() + wait > until:
                raise HandoffError(f"{method} {path.partition('?')[0]}: no answer from {self._shown} ({trouble})")
            time.sleep(wait)

    def _renewed(self, refused: str) -> bool:
        """Read the token again, and tell whether it is another one than that which the server refused."""
        if self._fresh is not None:
            self._token = self._fresh()
        return self._token != refused

    def _send(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str], again: bool = True
    ) -> tuple[int, bytes, float]:
        connection = self._connection()
        try:
            connection.request(method, self._url.path.rstrip("/") + path, data, headers)
            answer = connection.getresponse()
            after = answer.getheader("Retry-After", "")
            if method == "GET":
                self._heed(answer.getheader("Handoff-Queued", ""))
            return answer.status, answer.read(), float(after) if after.isdecimal() else 0.0
        finally:
            connection.close()

    def _heed(self, waiting: str) -> None:
        """Note how many appends wait, and log when the store goes away and comes back."""
        before, self.queued = self.queued, int(waiting) if waiting.isdecimal() else 0
        if self.queued and not before:
            LOG.warning("the store of %s is away: %d appends wait there, and are read marked as queued", self._shown, self.queued)
        elif before and not self.queued:
            LOG.warning("the store of %s is back: what waited is on the tape", self._shown)

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "", self._url.port
        if self._unix:
            return _UnixConnection(self._unix)
        if self._url.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=TIMEOUT)
        return http.client.HTTPConnection(host, port, timeout=TIMEOUT)

    def _result(self, method: str, status: int, answer: bytes) -> Any:
        try:
            decoded = json.loads(answer)
        except ValueError as error:
            raise HandoffError(f"{self._shown} is not a handoff server: it answered {status} without JSON") from error
        if status < 300:
            return decoded
        problem = decoded if isinstance(decoded, dict) else {}
        detail = str(problem.get("detail", ""))
        if status == 404 and problem.get("type") == "urn:handoff:no-such-tape":
            raise MissingTape(detail)
        if known := query_error(detail):
            raise known
        if status == 413:
            raise TooLong(f"{self._shown} refused {method} with {status}: {detail}")
        hint = " (HANDOFF_TOKEN_FILE names the file with its token)" if status == 401 else ""
        raise HandoffError(f"{self._shown} refused {method} with {status}: {detail}{hint}")


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=TIMEOUT)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(TIMEOUT)
        self.sock.connect(self._path)


def _parts(entries: list[dict[str, Any]]) -> Iterator[bytes]:
    """Encode the bodies of the requests that append the entries."""
    part: list[str] = []
    size = 0

    def body() -> bytes:
        return ('{"bare": true, "entries": [' + ", ".join(part) + "]}").encode()

    for entry in entries:
        text = json.dumps(entry, allow_nan=False)  # ASCII: as many bytes as letters
        if len(text) > MOST - 1024:
            raise HandoffError(f"an entry has {len(text)} bytes, and at most {MOST} are allowed: keep it as a file or an artifact")
        if part and (size + len(text) > PART_BYTES or len(part) == PART_ENTRIES):
            yield body()
            part, size = [], 0
        part.append(text)
        size += len(text)
    if part:
        yield body()


def _path(tape: str) -> str:
    return "/tapes/" + quote(tape, safe="")
