"""Starts the handoff binary that was installed with this package, with the same arguments."""

import os
import subprocess
import sys
import sysconfig


def binary():
    """Return the path of the binary: where installers put scripts, for each way to install."""
    name = "handoff" + (sysconfig.get_config_var("EXE") or "")
    package = os.path.dirname(os.path.abspath(__file__))
    folders = [
        sysconfig.get_path("scripts"),
        sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")) if sys.version_info >= (3, 10) else None,
        os.path.join(os.path.dirname(package), "bin"),  # pip install --target
        os.path.dirname(os.path.abspath(sys.argv[0])),
    ]
    for folder in filter(None, folders):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    print("handoff: the binary of this package is missing: install it again", file=sys.stderr)
    sys.exit(2)


def main():
    command = [binary(), *sys.argv[1:]]
    if sys.platform == "win32":  # there, exec starts a second process and ends at once
        sys.exit(subprocess.run(command).returncode)
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
