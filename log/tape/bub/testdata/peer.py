"""Does with Bub's own code what a test asks for.

Requests are JSON objects, one a line on stdin; each is answered by a line on
stdout, {"ok": ...} or {"error": {"kind": ..., "message": ...}}. The first says
in which folder the tapes are: {"do": "open", "folder": ...}. It runs on Bub
0.3, whose queries are republic's, on 0.4 and 0.5, which have their own, and on
0.6, whose messages are republic's.
"""

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path

from loguru import logger

try:
    from bub.store import AsyncTapeStoreAdapter, FileTapeStore, InMemoryQueryMixin, TapeQuery
    from bub.tape import Tape, TapeContext, TapeEntry, build_messages
    old = False
except ImportError:
    from bub.builtin.store import FileTapeStore, ForkTapeStore
    from bub.builtin.tape import TapeService
    from republic import LLM, TapeContext, TapeEntry, TapeQuery
    from republic.tape import InMemoryQueryMixin
    from republic.tape.context import build_messages
    old = True
from bub.builtin.context import default_tape_context

try:
    from bub.builtin.archive import reset_tape
except ImportError:
    reset_tape = None  # before 0.6 a tape archives itself

try:  # since 0.6
    from republic.formats._base import ChatRequest, normalize
    from republic.providers._chat import ReasoningContentChat
except ImportError:
    def sent(messages):
        """Messages as a server of chat completions is sent them."""
        return messages
else:
    def sent(messages):
        """Messages as a server of chat completions is sent them, one that wants its reasoning back."""
        request = ChatRequest(model="fake", messages=normalize(messages), options={})
        return json.loads(json.dumps(ReasoningContentChat().chat_request(request, stream=False).body["messages"]))

if old:
    class Tapes:
        """Tapes as an agent of Bub 0.3 has them."""

        def __init__(self, folder, store):
            fork = ForkTapeStore(store)
            self.llm = LLM("openai:none", api_key="none", tape_store=fork, context=default_tape_context())
            self.service = TapeService(self.llm, folder, fork)

        def session(self, workspace, session):
            return self.service.session_tape(session, Path(workspace)).name

        async def info(self, name):
            return await self.service.info(name)

        async def anchors(self, name, limit):
            return await self.service.anchors(name, limit)

        async def reset(self, name, archive):
            async with self.service.fork_tape(name):
                return await self.service.reset(name, archive=archive)

        async def turn(self, name, entries, handoffs):
            """A turn of an agent, which is written when it ends."""
            async with self.service.fork_tape(name):
                await self.service.ensure_bootstrap_anchor(name)
                for entry in entries:
                    await self.llm.tape(name).append_async(entry)
                for handoff in handoffs:
                    await self.service.handoff(name, **handoff)
else:
    class Tapes:
        """Tapes as an agent of Bub since 0.4 has them."""

        def __init__(self, folder, store):
            self.folder, adapted = folder, AsyncTapeStoreAdapter(store)
            if reset_tape is None:
                self.tape = Tape(folder, adapted, default_tape_context())
            else:
                self.tape = Tape(adapted, default_tape_context())

        def session(self, workspace, session):
            return self.tape.session_tape(session, Path(workspace)).name

        async def info(self, name):
            return await self.tape.scoped(name).info()

        async def anchors(self, name, limit):
            return await self.tape.scoped(name).anchors(limit)

        async def reset(self, name, archive):
            async with self.tape.scoped(name).fork_tape() as tape:
                if reset_tape is None:
                    return await tape.reset(archive=archive)
                return await reset_tape(tape, archive_to=self.folder if archive else None)

        async def turn(self, name, entries, handoffs):
            """A turn of an agent, which is written when it ends."""
            async with self.tape.scoped(name).fork_tape() as tape:
                await tape.ensure_bootstrap_anchor()
                for entry in entries:
                    await tape.store.append(name, entry)
                for handoff in handoffs:
                    await tape.handoff(**handoff)


class Peer:
    def open(self, folder):
        """Begins as another process would: nothing is cached."""
        self.store = FileTapeStore(Path(folder))
        self.tapes = Tapes(Path(folder), self.store)

    def list(self):
        return sorted(self.store.list_tapes())

    def session(self, workspace, session):
        return self.tapes.session(workspace, session)

    def read(self, tape):
        return [asdict(e) for e in self.store.read(tape)]

    def query(self, tape, last=False, after=None, between=None, dates=None, text=None, kinds=(), limit=None):
        q = TapeQuery(tape=tape, store=self.store).kinds(*kinds)
        if last:
            q = q.last_anchor()
        if after is not None:
            q = q.after_anchor(after)
        if between:
            q = q.between_anchors(*between)
        if dates:
            q = q.between_dates(*dates)
        if limit is not None:
            q = q.limit(limit)
        if text is not None:  # the file store's own search is another matter
            return [asdict(e) for e in InMemoryQueryMixin.fetch_all(self.store, q.query(text))]
        return [asdict(e) for e in q.all()]

    def messages(self, tape, **anchor):
        """Messages after the last anchor, or the given one; null is the whole tape.

        An agent of 0.3 does the same with a store that returns no entries for a
        missing anchor.
        """
        context = default_tape_context()
        if "anchor" in anchor:
            context = TapeContext(anchor=anchor["anchor"], select=context.select)
        entries = context.build_query(TapeQuery(tape=tape, store=self.store)).all()
        return sent(build_messages(entries, context))

    async def info(self, tape):
        info = asdict(await self.tapes.info(tape))
        info.setdefault("last_token_cache_hit_rate", None)  # it came with 0.4
        return info

    async def anchors(self, tape, limit):
        return [asdict(a) for a in await self.tapes.anchors(tape, limit)]

    def append(self, tape, kind, payload, meta):
        made = TapeEntry.message(payload)  # for its date
        self.store.append(tape, TapeEntry(0, kind, payload, meta, made.date))

    async def turn(self, tape, messages=(), handoffs=()):
        await self.tapes.turn(tape, [TapeEntry.message(m) for m in messages], handoffs)

    async def reset(self, tape, archive):
        return await self.tapes.reset(tape, archive)


def describe(error):
    kind = getattr(error, "kind", None)
    if kind is None:
        return {"kind": type(error).__name__, "message": str(error)}
    return {"kind": getattr(kind, "value", kind), "message": error.message}


async def answer(peer, request):
    do = getattr(peer, request.pop("do"))
    result = do(**request)
    return await result if asyncio.iscoroutine(result) else result


async def main():
    logger.remove()
    peer = Peer()
    for line in sys.stdin.buffer:
        try:
            reply = {"ok": await answer(peer, json.loads(line))}
        except Exception as error:  # the test decides what may fail
            reply = {"error": describe(error)}
        sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
        sys.stdout.buffer.flush()


asyncio.run(main())
