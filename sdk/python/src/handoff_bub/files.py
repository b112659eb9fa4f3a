"""Tapes in the files of Bub's home, through the command `handoff tape`.

The command takes the lock that all writers of handoff take. So it gives each id
once, which Bub's own file store does not where two programs append.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from handoff_bub.errors import HandoffError, MissingTape, query_error


class Command:
    """The tapes of a home folder, read and written by ``program``."""

    def __init__(self, program: str, home: Path) -> None:
        self._program = program
        self._home = home.absolute()

    def names(self) -> list[str]:
        return [path.stem for path in (self._home / "tapes").glob("*.jsonl")]

    def delete(self, tape: str) -> None:
        """Archive and delete a tape."""
        self._there(tape)
        self._run("delete", tape)

    def append(self, tape: str, entries: list[dict[str, Any]]) -> None:
        """Append all entries or none. A missing tape is created bare."""
        lines = "".join(json.dumps(entry, allow_nan=False) + "\n" for entry in entries)
        self._run("append", "--tape", tape, "--bare", "--from", "-", given=lines)

    def read(self, tape: str, asked: list[tuple[str, str]]) -> list[dict[str, Any]]:
        self._there(tape)
        printed = self._run("read", "--tape", tape, *_flags(asked))
        return [json.loads(line) for line in printed.split("\n") if line]

    def recover(self, tape: str) -> dict[str, Any]:
        """Return the last anchor and the entries since, from one consistent read."""
        self._there(tape)
        found: dict[str, Any] = json.loads(self._run("recover", "--tape", tape))
        return found

    def _there(self, tape: str) -> None:
        if not (self._home / "tapes" / f"{tape}.jsonl").exists():
            raise MissingTape(tape)

    def _run(self, verb: str, *arguments: str, given: str = "") -> str:
        self._home.mkdir(parents=True, exist_ok=True)
        command = [self._program, "tape", verb, "-C", str(self._home), "--bub", str(self._home), "--json", *arguments]
        try:
            done = subprocess.run(command, input=given.encode(), capture_output=True)
        except OSError as error:
            raise HandoffError(f"{self._program}: {error}") from error
        if done.returncode == 0:
            return done.stdout.decode()
        said = done.stderr.decode(errors="replace").strip()
        if known := query_error(_without_hints(said)):
            raise known
        raise HandoffError(f"handoff tape {verb} failed with status {done.returncode}: {said}")


def _without_hints(said: str) -> str:
    """Return the first message of the command, without what it advises a person to run."""
    return re.split(r"\n(?:handoff: |`handoff|want )", said.removeprefix("handoff: "), maxsplit=1)[0]


def _flags(asked: list[tuple[str, str]]) -> list[str]:
    flags: list[str] = []
    between = [value for name, value in asked if name == "between"]
    for name, value in asked:
        if name == "last_anchor":
            flags.append("--last-anchor")
        elif name != "between":
            flags.append(f"--{name.replace('_', '-')}={value}")
    if between:
        flags += [f"--between={between[0]}", "--", between[1]]
    return flags
