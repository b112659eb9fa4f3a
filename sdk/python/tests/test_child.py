"""Tapes in files, through the real command: HANDOFF_BINARY, or what `go build` makes of this checkout."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from handoff_bub import AgentIntention, Command, HandoffError, MissingTape, TapeService, TapeStore
from handoff_bub.bub_types import BubError, TapeEntry, TapeQuery

TAPE = "36ec1eb98e4108b2__0b871d5e50e7c192"


def setUpModule():
    global FOLDER, PROGRAM
    made = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(made.cleanup)
    FOLDER = Path(made.name)
    PROGRAM = os.environ.get("HANDOFF_BINARY", "")
    if not PROGRAM:
        PROGRAM = str(FOLDER / "handoff")
        subprocess.run(["go", "build", "-o", PROGRAM, "handoff/cmd/handoff"], check=True, cwd=Path(__file__).parents[3])


def said(text):
    return TapeEntry(0, "message", {"role": "user", "content": text}, {}, "2026-02-12T16:05:00+00:00")


def contents(store):
    return [e.payload.get("content") for e in store.read(TAPE) or []]


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class ChildTest(unittest.TestCase):
    def setUp(self):
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.starts = self.home / "starts"
        self.program = self.script(f'echo $$ >>{self.starts}; exec {PROGRAM} "$@"')
        self.command = Command(self.program, self.home / "bub")
        self.addCleanup(self.command.close)
        self.store = TapeStore(self.command)

    def script(self, text):
        path = self.home / f"program{len(list(self.home.iterdir()))}"
        path.write_text("#!/bin/sh\n" + text + "\n")
        path.chmod(0o755)
        return str(path)

    def started(self):
        return [int(pid) for pid in self.starts.read_text().split()]

    def test_one_process_serves_all_requests(self):
        for n in range(20):
            self.store.append(TAPE, said(f"m{n}"))
        self.assertEqual(contents(self.store), [f"m{n}" for n in range(20)])
        self.assertEqual([e.id for e in self.store.read(TAPE)], list(range(1, 21)))
        self.assertEqual(self.store.list_tapes(), [TAPE])
        self.assertIsNone(self.store.read("0123456789abcdef__0123456789abcdef"))
        with self.assertRaises(BubError) as caught:
            self.store.fetch_all(TapeQuery(tape=TAPE, store=self.store).after_anchor("x"))
        self.assertEqual(caught.exception.message, "Anchor 'x' was not found.")
        self.store.reset(TAPE)
        self.assertIsNone(self.store.read(TAPE))
        self.assertEqual(len(self.started()), 1)
        self.assertEqual(sorted(p.name for p in (self.home / "bub").iterdir()), ["tapes"])

    def test_a_process_that_is_killed_is_started_again(self):
        self.store.append(TAPE, said("before"))
        os.kill(self.started()[0], signal.SIGKILL)
        self.store.append(TAPE, said("after"))
        self.assertEqual(contents(self.store), ["before", "after"])
        self.assertEqual(len(self.started()), 2)

    def test_kills_at_any_moment_append_nothing_twice(self):
        done = threading.Event()

        def kill():
            pause = 0.004
            while not done.wait(pause):
                pause = 0.004 + (pause * 1.7) % 0.03  # at other moments each time
                child = self.command._child
                if child is not None:
                    child._process.kill()

        killer = threading.Thread(target=kill)
        killer.start()
        acknowledged, failed = [], []
        try:
            for n in range(60):
                try:
                    self.store.append(TAPE, said(f"m{n}"))
                    acknowledged.append(f"m{n}")
                except HandoffError:  # killed twice
                    failed.append(f"m{n}")
        finally:
            done.set()
            killer.join()
        found = contents(self.store)
        self.assertEqual([text for text in found if text not in failed], acknowledged)
        self.assertEqual(len(found), len(set(found)))
        self.assertGreater(len(self.started()), 3)

    def test_two_programs_at_once(self):
        other = TapeStore(Command(self.program, self.home / "bub"))
        self.addCleanup(other.tapes.close)

        def write(store, name):
            for n in range(30):
                store.append(TAPE, said(f"{name}{n}"))

        threads = [threading.Thread(target=write, args=given) for given in [(self.store, "a"), (other, "b"), (self.store, "c")]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([e.id for e in self.store.read(TAPE)], list(range(1, 91)))
        self.assertEqual(len(set(contents(self.store))), 90)
        self.assertEqual(len(self.started()), 2)

    def test_a_fork_of_the_program_has_a_process_of_its_own(self):
        self.store.append(TAPE, said("parent"))
        pid = os.fork()
        if pid == 0:
            try:
                self.store.append(TAPE, said("child"))
                self.command.close()
                os._exit(0)
            finally:
                os._exit(1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.store.append(TAPE, said("parent again"))
        self.assertEqual(contents(self.store), ["parent", "child", "parent again"])
        self.assertEqual(len(self.started()), 2)

    def test_the_process_ends_with_the_program(self):
        code = (
            "import os, sys; from pathlib import Path; from handoff_bub import Command, TapeStore\n"
            "store = TapeStore(Command(sys.argv[1], Path(sys.argv[2]))); store.read('0123456789abcdef__0123456789abcdef')\n"
            "print('read', flush=True)\n"
            "sys.stdin.read() if sys.argv[3] == 'killed' else os._exit(0) if sys.argv[3] == 'gone' else None\n"
        )
        for how in ("killed", "gone", "ended"):
            with self.subTest(how):
                self.starts.unlink(missing_ok=True)
                program = subprocess.Popen([sys.executable, "-c", code, self.program, str(self.home / "bub"), how], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                self.assertEqual(program.stdout.readline(), b"read\n")
                if how == "killed":
                    program.kill()
                program.communicate()
                child = self.started()[0]
                for _ in range(1000):
                    if not alive(child):
                        break
                    threading.Event().wait(0.01)
                self.assertFalse(alive(child), "it runs without its program")

    def test_a_program_that_is_too_old_is_told(self):
        old = self.script("echo 'handoff: unknown flag --bub' >&2; exit 2")
        with self.assertRaisesRegex(HandoffError, "serve -C .* --listen - --bub .* ended: handoff: unknown flag --bub"):
            TapeStore(Command(old, self.home / "bub")).append(TAPE, said("x"))
        with self.assertRaisesRegex(HandoffError, "No such file"):
            TapeStore(Command(str(self.home / "none"), self.home / "bub")).append(TAPE, said("x"))

    def test_a_process_that_answers_nonsense_is_told(self):
        other = TapeStore(Command(self.script("echo hello"), self.home / "bub"))
        with self.assertRaisesRegex(HandoffError, "ended: "):
            other.append(TAPE, said("x"))


class ServiceTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.command = Command(PROGRAM, workspace=self.folder)
        self.addCleanup(self.command.close)
        self.tape = TapeService(self.command)

    def test_a_handoff_is_one_write(self):
        with self.assertRaises(MissingTape):
            self.tape.info()
        self.assertEqual([self.tape.ensure_bootstrap_anchor() for _ in range(2)], [True, False])
        self.tape.append(said("hello"))
        made = self.tape.handoff("phase/one", state={"summary": "größe", "tables": 5}, meta={"run_id": "r1"})
        self.assertEqual([(e.kind, e.payload["name"], e.meta["run_id"]) for e in made], [("anchor", "phase/one", "r1"), ("event", "handoff", "r1")])
        self.assertEqual(made[0].meta["append_request"]["entries"], 2)
        self.tape.append(said("go on"))
        self.assertEqual([(a.name, a.state) for a in self.tape.anchors(limit=1)], [("phase/one", {"summary": "größe", "tables": 5})])
        for found, want in (
            (self.tape.between_anchors("session/start", "phase/one", kinds=["message"]), ["hello"]),
            (self.tape.after_anchor("session/start", kinds=["message"]), ["hello", "go on"]),
            (self.tape.from_last_anchor(kinds=["message"]), ["go on"]),
            (self.tape.read_entries(kinds=["message"]), ["hello", "go on"]),
            (self.tape.search("GO"), ["go on"]),
        ):
            self.assertEqual([e.payload["content"] for e in found], want)
        self.assertIn("größe", self.tape.context()["request"]["messages"][0]["content"])
        self.assertEqual(self.tape.recover()["state"]["tables"], 5)
        self.assertIn("main", self.tape.reset())
        self.assertEqual(len(self.tape.anchors()), 1)

    def test_forks(self):
        self.tape.handoff("start", state={"summary": "s"})
        intention = AgentIntention("review auth.py", "logins fail", "notify_parent")
        child = self.tape.fork_session("review", "start", intention)
        self.assertEqual(self.tape.fork_session("bare").anchors()[-1].name, "start")
        state = child.anchors()[-1].state
        self.assertEqual({name: state[name] for name in intention.to_state()}, intention.to_state())
        child.append(said("found it"))
        self.assertEqual(child.merge()["parent"], "main")
        self.assertEqual([e.payload["content"][:17] for e in self.tape.read_entries(kinds=["message"])], ["found it", "[Fork completed: "])
        with self.assertRaises(MissingTape):
            child.merge()
        self.assertEqual(TapeService(self.command, "bare").discard("no use")["entries"], 0)
        self.assertEqual(self.command.names(), ["main"])

    def test_envelopes(self):
        self.tape.handoff("start", state={"summary": "s"})
        envelope = self.tape.send("agent:a", "agent:b", intention=AgentIntention("test it"))
        self.assertEqual((envelope["content"]["summary"], envelope["content"]["intention"]["next_steps"]), ("s", "test it"))
        other = TapeService(self.command, "other")
        with self.assertRaisesRegex(HandoffError, "409"):
            other.receive(envelope, receiver="agent:c")
        anchors = [other.receive(envelope, receiver="agent:b") for _ in range(2)]
        self.assertEqual(anchors[0].id, anchors[1].id)
        self.assertEqual(anchors[0].payload["state"]["owner"], "agent:b")

    def test_what_has_no_key_is_not_repeated(self):
        self.tape.handoff("start", state={"summary": "s"})
        self.command._child._process.kill()
        self.command._child._process.wait()
        with self.assertRaisesRegex(HandoffError, "ended: "):
            self.tape.send("agent:a", "agent:b")
        self.assertEqual(self.tape.send("agent:a", "agent:b")["to"], "agent:b")


if __name__ == "__main__":
    unittest.main()
