"""Where the tapes are, from environment variables."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from handoff_bub.errors import HandoffError
from handoff_bub.files import Command
from handoff_bub.server import Server
from handoff_bub.store import Tapes


def tapes_from(home: Path, environ: Mapping[str, str] = os.environ) -> Tapes:
    """Choose between a server and the files of Bub's home.

    HANDOFF_URL is the address of `handoff serve` (http://127.0.0.1:7341 or
    unix:PATH), HANDOFF_TOKEN_FILE the file with the token that it wants; by
    default that which a server of the same user made. Without an address the tapes are those of ``home``, and the command that
    HANDOFF_BINARY names (`handoff` by default) reads and writes them.
    """
    token_file = environ.get("HANDOFF_TOKEN_FILE", "")
    if url := environ.get("HANDOFF_URL", ""):
        token_file = token_file or _own(url, environ)
        if not token_file:
            return Server(url)
        return Server(url, _token(token_file), fresh=lambda: _token(token_file))
    if token_file:
        raise HandoffError("HANDOFF_TOKEN_FILE is set, but HANDOFF_URL is not: set both or neither")
    name = environ.get("HANDOFF_BINARY", "") or "handoff"
    program = shutil.which(name, path=environ.get("PATH"))
    if program is None:
        raise HandoffError(
            f"no command {name!r}: install handoff, set HANDOFF_BINARY to its path, or set HANDOFF_URL to a server's address"
        )
    return Command(program, home)


def _own(url: str, environ: Mapping[str, str]) -> str:
    """The file in which a server of this user on loopback keeps its token; "" for none."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        return ""
    if parts.scheme != "http" or port is None:
        return ""
    state = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(state):
        state = environ.get("LOCALAPPDATA", "") if os.name == "nt" else ""
    if not state:
        home = environ.get("HOME", "") or environ.get("USERPROFILE", "")
        if not home:
            return ""
        state = os.path.join(home, ".local", "state")
    for address in ["127.0.0.1", "::1"] if host == "localhost" else [host]:
        try:
            if not ip_address(address).is_loopback:
                continue
        except ValueError:
            continue
        file = os.path.join(state, "handoff", "servers", f"{address.replace(':', '-')}_{port}")
        if os.path.exists(file):
            return file
    return ""


def _token(path: str) -> str:
    try:
        token = Path(path).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise HandoffError(f"HANDOFF_TOKEN_FILE {path}: {error}") from error
    if not token or not token.isascii() or len(token.split()) != 1:
        raise HandoffError(f"HANDOFF_TOKEN_FILE {path}: expected one line with the server's token")
    return token
