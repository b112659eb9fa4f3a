"""Handoffs and tapes over the HTTP of `handoff serve`."""

from __future__ import annotations

import http.client
import json
import random
import socket
import time
import uuid
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

from handoff_client.errors import HandoffError
from handoff_client.local import local_token
from handoff_client.tapes import Tapes
from handoff_client.threads import Sessions, Threads

TEMPORARY = {408, 425, 429, 502, 503, 504}
Rows = list[dict[str, Any]]  # the class has a method of the name list
SILENCE = 45.0  # seconds after which a stream counts as lost; the server sends something every 15 s


class Event(NamedTuple):
    """What a stream sends: pass ``id`` as ``after`` to continue behind it, also in another process."""

    id: str
    data: dict[str, Any]


class Client:
    """A client of one server. It keeps no connection open and may be used by several threads.

    ``token`` is that of the server; None finds the one of your own server on this machine, once more if the server was
    started again and has another. ``timeout`` is in seconds, for
    each wait for the server. With ``retries``, what may be done twice is sent again that often if no server answers or it is busy:
    reading, and requests with an idempotency key, which the client makes.
    """

    def __init__(self, url: str, token: str | None = None, timeout: float = 60.0, retries: int = 0) -> None:
        self._unix = url[len("unix:") :] if url.startswith("unix:") else ""
        self._url = urlsplit("http://localhost" if self._unix else url)
        if self._url.scheme not in ("http", "https") or not self._url.hostname or self._url.query:
            raise ValueError(f"{url!r}: expected a URL like http://127.0.0.1:7341, or unix:PATH")
        self._find = (lambda: local_token(url)) if token is None else None
        self._token = self._find() if self._find else token
        self._timeout, self._retries = timeout, retries
        self.threads, self.sessions, self.tapes = Threads(self), Sessions(self), Tapes(self)

    def list(self, **query: Any) -> Rows:
        """Return handoffs, the newest first; ``state="waiting"``, ``task=259``, ``limit`` and ``after`` select some."""
        return self.request("GET", "/handoffs", query)

    def next(self, **query: Any) -> dict[str, Any]:
        """Return what waits, the best first, and what is claimed."""
        return self.request("GET", "/handoffs/next", query)

    def search(self, words: str, **query: Any) -> dict[str, Any]:
        """Return handoffs (``hits``), threads and tapes (``logs``) that contain all words."""
        return self.request("GET", "/search", {"q": words, **query})

    def get(self, ref: str) -> dict[str, Any]:
        """Return a handoff. It is named as on the command line: 259/3, 259, latest, or a path."""
        return self.request("GET", _at(ref))

    def document(self, ref: str) -> str:
        """Return the Markdown document."""
        return self.request("GET", _at(ref) + "/document")

    def brief(self, ref: str, **query: Any) -> str:
        """Return what a successor needs; ``level`` is 1 to 3."""
        return self.request("GET", _at(ref) + "/brief", query)

    def claim(self, ref: str, by: str, key: str = "", **body: Any) -> dict[str, Any]:
        """Claim a handoff, so that only you work on it. If another one holds it, the error has its type and ``holder``."""
        return self.request("POST", _at(ref) + "/claim", body={"as": by, **body}, key=self.key(key))

    def claim_next(self, by: str, key: str = "", **body: Any) -> dict[str, Any]:
        """Claim the best handoff that waits."""
        return self.request("POST", "/handoffs/next/claim", body={"as": by, **body}, key=self.key(key))

    def step(self, ref: str, step: str, **body: Any) -> dict[str, Any]:
        """Record a step of a claim: ``ack``, ``renew`` or ``release``."""
        return self.request("POST", f"{_at(ref)}/{step}", body=body)

    def done(self, ref: str, claim: str, **body: Any) -> dict[str, Any]:
        """Record that the work of a handoff is finished."""
        return self.request("POST", _at(ref) + "/done", body={"claim": claim, **body})

    def new(self, task: int, key: str = "", **values: Any) -> dict[str, Any]:
        """Write a handoff of a task. If it is refused, the error's ``problem["findings"]`` say what to change."""
        return self.request("POST", f"/specs/{task}/handoffs", body=values, key=self.key(key))

    def append(self, tape: str, *entries: dict[str, Any], key: str = "") -> dict[str, Any]:
        """Append entries to a tape, all or none: ``{"kind": "message", "payload": {…}}``."""
        return self.request("POST", f"/tapes/{_part(tape)}/entries", body={"entries": list(entries)}, key=self.key(key))

    def entries(self, tape: str, **query: Any) -> Rows:
        """Return the entries of a tape that the query selects: ``last_anchor=True``, ``kind="message"``, ``limit``."""
        return self.request("GET", f"/tapes/{_part(tape)}/entries", query)

    def follow(self, path: str = "/handoffs/events", after: str = "", **query: Any) -> Iterator[Event]:
        """Yield the events of a stream so far, then each as it happens, once and in order. A run's stream ends with the run.

        Streams are those of handoffs, of ``/threads/ID/events`` (``inherited=True`` begins with what a branch inherits), ``/sessions/ID/events`` and ``/tapes/NAME/events``. A
        connection that breaks is opened again behind the last event. The first one must succeed.
        """
        failures, connected = 0, False
        while True:
            try:
                for event in self._events(path, after, query):
                    connected = True
                    if event is not None:
                        failures, after = 0, event.id or after
                        yield event
                        if path.startswith("/sessions/") and event.data.get("type") == "session_ended":
                            return
            except HandoffError as error:
                if not connected or error.status not in TEMPORARY:
                    raise
                time.sleep(error.retry_after or 0)
            except (OSError, http.client.HTTPException):
                if not connected:
                    raise
            failures += 1
            time.sleep(random.random() * min(30.0, 0.25 * 2 ** min(failures, 10)))

    def request(self, method: str, path: str, query: dict[str, Any] | None = None, body: Any = None, key: str = "") -> Any:
        """Send a request to any route of docs/openapi.json; parts of ``path`` are escaped already. A body is sent as JSON, one of bytes as it is."""
        again = self._retries if method in ("GET", "HEAD", "PUT") or key else 0
        for left in range(again, -1, -1):
            wait = random.random() * min(30.0, 0.25 * 2 ** (again - left))
            connection = self._connection(self._timeout)
            try:
                answer = self._send(connection, method, path, query, body, {"Idempotency-Key": key} if key else {})
                return _value(answer)
            except HandoffError as error:
                if not left or error.status not in TEMPORARY:
                    raise
                wait = max(wait, error.retry_after or 0.0)
            except (OSError, http.client.HTTPException):
                if not left:
                    raise
            finally:
                connection.close()
            time.sleep(wait)

    def key(self, key: str = "") -> str:
        """Return the key of a request that may be sent again: the given one, or with ``retries`` a new one."""
        return key or (uuid.uuid4().hex if self._retries else "")

    def _events(self, path: str, after: str, query: dict[str, Any]) -> Iterator[Event | None]:
        """Yield None when the stream is open, and its events."""
        connection = self._connection(SILENCE)
        try:
            answer = self._send(connection, "GET", path, query, None, {"Last-Event-ID": after} if after else {})
            yield None
            number, data = "", []
            while line := answer.readline():
                name, _, value = line.decode().rstrip("\r\n").partition(":")
                if name == "id":
                    number = value.strip()
                elif name == "data":
                    data.append(value[1:] if value.startswith(" ") else value)
                elif line in (b"\n", b"\r\n") and data:
                    yield Event(number, json.loads("\n".join(data)))
                    data = []
        finally:
            connection.close()

    def _send(self, connection: http.client.HTTPConnection, method: str, path: str, query: Any, body: Any, headers: dict[str, str]) -> http.client.HTTPResponse:
        if body is not None:
            headers["Content-Type"] = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        asked = [(name, str(v).lower() if isinstance(v, bool) else v) for name, v in (query or {}).items() if v is not None]
        target = self._url.path.rstrip("/") + path + ("?" + urlencode(asked, doseq=True) if asked else "")
        payload = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        token = self._token
        answer = self._ask(connection, method, target, payload, headers, token)
        if answer.status == 401 and self._find and (fresh := self._find()) != token:
            connection.close()
            self._token = fresh
            answer = self._ask(connection, method, target, payload, headers, fresh)
        if answer.status >= 300:
            raise HandoffError(answer.status, answer.read(), answer.getheader("Content-Type", ""), answer.getheader("Retry-After", ""))
        if ignored := answer.getheader("Handoff-Ignored"):
            warnings.warn(f"{method} {path}: the server did without {ignored}, which it does not know", stacklevel=5)
        return answer

    def _ask(self, connection: http.client.HTTPConnection, method: str, target: str, payload: bytes | None, headers: dict[str, str], token: str) -> http.client.HTTPResponse:
        connection.request(method, target, payload, {**headers, **({"Authorization": "Bearer " + token} if token else {})})
        return connection.getresponse()

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "", self._url.port
        if self._unix:
            return _UnixConnection(self._unix, timeout)
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        return kind(host, port, timeout=timeout)


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _value(answer: http.client.HTTPResponse) -> Any:
    body, media = answer.read(), answer.getheader("Content-Type", "")
    if media.startswith("application/json"):
        return json.loads(body)
    return body.decode() if media.startswith("text/") else body


def _part(name: str) -> str:
    return quote(name, safe="")


def _at(ref: str) -> str:
    return "/handoffs/" + _part(ref)
