"""Tapes in files, through one process of the command `handoff`.

The process serves one client on its standard input and output, in the protocol of
`handoff serve`. It takes the lock that all writers of handoff take. So it gives
each id once, which Bub's own file store does not where two programs append.
"""

from __future__ import annotations

import http.client
import os
import subprocess
import tempfile
import threading
import weakref
from pathlib import Path
from typing import IO, Any

from handoff_bub.errors import HandoffError
from handoff_bub.server import Server

ENDS = 10.0  # seconds for the process to end once its input has


class Command(Server):
    """The tapes of a home folder of Bub, or of a workspace, read and written by ``program``.

    The process starts with the first request, and ends with this object or the
    program that has it, however that ends. If it is gone, a request starts it once
    more; an append has an idempotency key, so that it is not done twice.
    """

    def __init__(self, program: str, home: Path | None = None, *, workspace: Path | None = None) -> None:
        if (home is None) == (workspace is None):
            raise HandoffError("want a home of Bub or a workspace")
        super().__init__("http://localhost")
        self._shown = program
        self._folder = (home or workspace or Path()).absolute()
        self._arguments = [program, "serve", "-C", str(self._folder), "--listen", "-"]
        if home is not None:
            self._arguments += ["--bub", str(self._folder)]
        self._home = home is not None
        self._child: _Child | None = None
        self._turn = threading.RLock()
        _AFTER_FORK.add(self)

    def names(self) -> list[str]:
        if self._home:
            return [path.stem for path in (self._folder / "tapes").glob("*.jsonl")]
        return super().names()

    def close(self) -> None:
        """End the process. A later request starts it again."""
        with self._turn:
            if self._child is not None:
                self._child.end()
                self._child = None

    def _send(
        self, method: str, path: str, data: bytes | None, headers: dict[str, str], again: bool = True
    ) -> tuple[int, bytes, float]:
        with self._turn:
            for last in (not again, True):
                child = self._running()
                try:
                    return super()._send(method, path, data, headers)
                except (OSError, http.client.HTTPException) as error:
                    self._child = None
                    said = child.end() or str(error)
                    if last:
                        raise HandoffError(f"{' '.join(child.arguments)} ended: {said}") from error
            raise AssertionError

    def _running(self) -> _Child:
        if self._child is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._child = _Child(self._arguments)
        return self._child

    def _connection(self) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection("localhost")
        connection.sock = self._running()  # type: ignore[assignment]  # which is asked for no more
        return connection

    def _forget(self) -> None:
        """Leave the process to the parent from which this one was forked."""
        if self._child is not None:
            self._child.leave()
        self._child, self._turn = None, threading.RLock()


_AFTER_FORK: weakref.WeakSet[Command] = weakref.WeakSet()


def _forked() -> None:
    for command in list(_AFTER_FORK):
        command._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


class _Child:
    """A process, with what http.client wants of a socket. Its input ends when this one does."""

    def __init__(self, arguments: list[str]) -> None:
        self.arguments = arguments
        self._said = tempfile.TemporaryFile()
        own: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {}  # Ctrl-C is for this process
        try:
            self._process = subprocess.Popen(
                arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, **own
            )
        except OSError as error:
            self._said.close()
            raise HandoffError(f"{arguments[0]}: {error}") from error
        self._finish = weakref.finalize(self, _finish, self._process, self._said)

    def sendall(self, data: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def makefile(self, *_: Any) -> _Answers:
        return _Answers(self._process.stdout)

    def close(self) -> None:
        """Nothing: the process answers further requests."""

    def end(self) -> str:
        """End the process, and return what it said."""
        return self._finish() or f"status {self._process.returncode}"

    def leave(self) -> None:
        """Close the pipes after a fork, without what another thread has half written."""
        self._finish.detach()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.raw.close()  # type: ignore[attr-defined]
        self._said.close()
        self._process.returncode = 0  # it is no child of this process


class _Answers:
    """The output of a process, which stays open when an answer was read."""

    def __init__(self, output: Any) -> None:
        self._output = output

    def __getattr__(self, name: str) -> Any:
        return getattr(self._output, name)

    def close(self) -> None:
        pass


def _finish(process: subprocess.Popen[bytes], said: IO[bytes]) -> str:
    for pipe in (process.stdin, process.stdout):
        try:
            if pipe is not None:
                pipe.close()
        except OSError:  # it has ended
            pass
    try:
        process.wait(ENDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    with said:
        said.seek(0)
        return said.read().decode(errors="replace").strip()
