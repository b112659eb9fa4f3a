"""The token of a server on this machine."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import urlsplit


def local_token(url: str) -> str:
    """Return the token of a `handoff serve` that you run on loopback; "" if none has published one at that address."""
    at = urlsplit(url)
    if at.scheme != "http" or at.port is None:
        return ""
    hosts = ["127.0.0.1", "::1"] if at.hostname == "localhost" else [at.hostname or ""]
    for host in hosts:
        if host == "::1" or re.fullmatch(r"127(\.\d+){3}", host):
            try:
                return (_state() / "handoff" / "servers" / f"{host.replace(':', '-')}_{at.port}").read_text().strip()
            except FileNotFoundError:
                pass
    return ""


def _state() -> Path:
    xdg, windows = os.environ.get("XDG_STATE_HOME", ""), os.environ.get("LOCALAPPDATA", "")
    if os.path.isabs(xdg):
        return Path(xdg)
    return Path(windows) if os.name == "nt" and windows else Path.home() / ".local" / "state"
