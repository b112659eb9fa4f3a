"""What Bub takes for what `tapebench ours` does, on the same file.

    peer.py slices FOLDER TAPE           # milliseconds, {"what": [cpu, wall, entries]}
    peer.py append FOLDER TAPE TIMES     # microseconds of each append

Its imports are not counted. Every question is the first to a store that has
just been opened, but for "again".
"""

import json
import sys
import time
from pathlib import Path

from loguru import logger

try:
    from bub.store import FileTapeStore, TapeQuery
    from bub.tape import TapeEntry
except ImportError:
    from bub.builtin.store import FileTapeStore
    from republic import TapeEntry, TapeQuery

logger.remove()
folder, tape = Path(sys.argv[2]), sys.argv[3]


def opened():
    return TapeQuery(tape=tape, store=FileTapeStore(folder))


def timed(ask):
    cpu, wall = time.process_time(), time.perf_counter()
    n = len(list(ask()))
    return [1e3 * (time.process_time() - cpu), 1e3 * (time.perf_counter() - wall), n]


def slices():
    names = [e.payload["name"] for e in opened().kinds("anchor").all()]
    middle = names[len(names) // 2], names[len(names) // 2 + 1]
    result = {
        "last": timed(lambda: opened().last_anchor().all()),
        "between": timed(lambda: opened().between_anchors(*middle).all()),
        "anchors": timed(lambda: list(opened().kinds("anchor").all())[-20:]),
        "whole": timed(lambda: opened().all()),
    }
    query = opened()
    list(query.all())
    result["again"] = timed(lambda: query.last_anchor().all())
    print(json.dumps(result))


def append():
    store = FileTapeStore(folder)
    store.read(tape)
    took = []
    for i in range(int(sys.argv[4])):
        entry = TapeEntry.message({"role": "user", "content": f"Look at the next file, mend it, then run the tests ({i})"})
        start = time.perf_counter()
        store.append(tape, entry)
        took.append(1e6 * (time.perf_counter() - start))
    print(json.dumps(took))


{"slices": slices, "append": append}[sys.argv[1]]()
