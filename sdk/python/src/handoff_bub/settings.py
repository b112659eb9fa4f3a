"""Where the tapes are, from environment variables."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from handoff_bub.errors import HandoffError
from handoff_bub.files import Command
from handoff_bub.server import Server
from handoff_bub.store import Tapes


def tapes_from(home: Path, environ: Mapping[str, str] = os.environ) -> Tapes:
    """Choose between a server and the files of Bub's home.

    HANDOFF_URL is the address of `handoff serve` (http://127.0.0.1:7341 or
    unix:PATH), HANDOFF_TOKEN_FILE the file with the token that it wants. Without
    an address the tapes are those of ``home``, and the command that
    HANDOFF_BINARY names (`handoff` by default) reads and writes them.
    """
    token_file = environ.get("HANDOFF_TOKEN_FILE", "")
    if url := environ.get("HANDOFF_URL", ""):
        return Server(url, _token(token_file) if token_file else "")
    if token_file:
        raise HandoffError("HANDOFF_TOKEN_FILE is set, but HANDOFF_URL is not: set both or neither")
    name = environ.get("HANDOFF_BINARY", "") or "handoff"
    program = shutil.which(name, path=environ.get("PATH"))
    if program is None:
        raise HandoffError(
            f"no command {name!r}: install handoff, set HANDOFF_BINARY to its path, or set HANDOFF_URL to a server's address"
        )
    return Command(program, home)


def _token(path: str) -> str:
    try:
        token = Path(path).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise HandoffError(f"HANDOFF_TOKEN_FILE {path}: {error}") from error
    if not token or not token.isascii() or len(token.split()) != 1:
        raise HandoffError(f"HANDOFF_TOKEN_FILE {path}: expected one line with the server's token")
    return token
