"""Run with the Python of an environment that has Bub: python -m unittest discover -s tests"""

import http.server
import json
import os
import stat
import tempfile
import threading
import unittest
from pathlib import Path

from handoff_bub import Command, HandoffError, Server, TapeStore, tapes_from
from handoff_bub.bub_types import BubError, ErrorKind, TapeContext, TapeEntry, TapeQuery
from handoff_bub.context import handoff_context, with_state
from handoff_bub.errors import query_error
from handoff_bub.store import FromLastAnchor, conditions


def entry(kind, payload, meta=None, id=0):
    return TapeEntry(id, kind, payload, meta or {}, "2026-02-12T16:05:00+00:00")


class Answers(http.server.BaseHTTPRequestHandler):
    """Gives the server's next answer, (status, value), or none for None."""

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.server.asked.append((self.command, self.path, self.rfile.read(length), dict(self.headers)))
        answer = self.server.answers.pop(0)
        if answer is None:
            self.close_connection = True
            return
        status, value, *more = answer
        text = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, said in more:
            self.send_header(name, said)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *_):
        pass


class ServerTest(unittest.TestCase):
    def serve(self, *answers, patience=30.0, token=""):
        server = http.server.HTTPServer(("127.0.0.1", 0), Answers)
        server.asked, server.answers = [], list(answers)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.asked, self.port = server.asked, server.server_port
        return TapeStore(Server(f"http://127.0.0.1:{server.server_port}", token, patience))

    def test_an_append_is_tried_again_with_its_key(self):
        store = self.serve(None, (503, {}), (201, {"entries": []}), token="t" * 16)
        store.append("a/b", entry("message", {"role": "user", "content": "x", "n": float("nan")}))
        self.assertEqual([asked[1] for asked in self.asked], ["/tapes/a%2Fb/entries"] * 3)
        self.assertEqual(len({asked[3]["Idempotency-Key"] for asked in self.asked}), 1)
        self.assertEqual(self.asked[0][3]["Authorization"], "Bearer " + "t" * 16)
        sent = json.loads(self.asked[2][2])
        self.assertEqual(sent["bare"], True)
        self.assertEqual(sent["entries"][0]["payload"], {"role": "user", "content": "x", "n": None})

    def test_two_appends_have_two_keys(self):
        store = self.serve((201, {}), (201, {}))
        for _ in range(2):
            store.append("t", entry("message", {"role": "user", "content": "same"}))
        self.assertEqual(len({asked[3]["Idempotency-Key"] for asked in self.asked}), 2)

    def test_what_cannot_be_written_is_an_error(self):
        for answers in ([(400, {"detail": "want one entry"})], [(500, b"no json")], [None, None, None, None]):
            with self.subTest(answers=answers), self.assertRaises(HandoffError):
                self.serve(*answers, patience=0.0).append("t", entry("message", {}))

    def test_what_cannot_be_read_is_no_empty_tape(self):
        store = self.serve((500, {"detail": "broken"}), (500, {"detail": "broken"}))
        query = TapeQuery(tape="t", store=store)
        for asked in (query, FromLastAnchor.of(query)):
            found = store.fetch_all(asked)  # Bub takes an error here for an empty tape
            with self.assertRaises(HandoffError):
                list(found)

    def test_errors_of_queries_are_bubs(self):
        missing = (404, {"type": "urn:handoff:no-such-tape", "detail": "no such tape"})
        store = self.serve((404, {"detail": "[not_found] Anchor 'x' was not found."}), missing, missing, missing, missing)
        query = TapeQuery(tape="t", store=store)
        for asked in (query.after_anchor("x"), query.after_anchor("x"), query.last_anchor()):
            with self.assertRaises(BubError) as caught:
                store.fetch_all(asked)
            self.assertEqual(caught.exception.kind, ErrorKind.NOT_FOUND)
        self.assertEqual(list(store.fetch_all(query)), [])
        store.reset("t")

    def test_the_context_begins_with_its_anchor(self):
        found = {"anchor": {"name": "p1", "id": 4, "state": {"summary": "s"}, "date": "d"}, "entries": [
            {"id": 6, "kind": "message", "payload": {"role": "user", "content": "go on"}, "meta": {}, "date": "d"}]}
        store = self.serve((200, found))
        entries = store.fetch_all(handoff_context().build_query(TapeQuery(tape="t", store=store)))
        self.assertEqual([(e.id, e.kind) for e in entries], [(4, "anchor"), (6, "message")])

    def test_a_search_gives_the_newest_first(self):
        found = [{"id": n, "kind": "message", "payload": {}, "meta": {}, "date": "d"} for n in (1, 2, 3)]
        store = self.serve((200, found))
        entries = store.fetch_all(TapeQuery(tape="t", store=store).query("x").limit(2))
        self.assertEqual([e.id for e in entries], [3, 2])
        self.assertNotIn("limit", self.asked[0][1])

    def test_many_bytes_are_sent_in_parts(self):
        store = self.serve(*[(201, {})] * 4)
        store.append_all("t", [entry("message", {"content": c * size}) for c, size in (("a", 600_000), ("b", 600_000), ("c", 3_000_000), ("d", 5))])
        self.assertEqual([json.loads(asked[2])["entries"][0]["payload"]["content"][0] for asked in self.asked], ["a", "b", "c", "d"])
        key = self.asked[0][3]["Idempotency-Key"]
        self.assertEqual([asked[3]["Idempotency-Key"] for asked in self.asked], [key, key + "#2", key + "#3", key + "#4"])

    def test_an_entry_that_no_server_takes_is_not_sent(self):
        store = self.serve()
        with self.assertRaisesRegex(HandoffError, "at most 17825792 are allowed"):
            store.append_all("t", [entry("message", {}), entry("message", {"content": "x" * (17 << 20)})])
        self.assertEqual(self.asked, [])

    def test_a_tape_that_is_too_long_is_handed_off(self):
        long = (413, {"detail": "the recovery has 36004367 bytes"})
        found = {"anchor": {"name": "auto_handoff/context_overflow", "id": 4, "state": {"task": "t"}, "date": "d"}, "entries": []}
        store = self.serve(long, (201, {}), (200, found), long, (400, {"detail": "nothing"}), long)
        query = FromLastAnchor.of(TapeQuery(tape="t", store=store))
        with self.assertLogs("handoff_bub", "WARNING") as logs:
            self.assertEqual([e.kind for e in store.fetch_all(query)], ["anchor"])
        self.assertIn("36004367 bytes", logs.output[0])
        self.assertEqual(self.asked[1][:2], ("POST", "/tapes/t/handoff"))
        self.assertIn("context length exceeded: ", json.loads(self.asked[1][2])["overflow"])
        with self.assertRaisesRegex(HandoffError, "handing off failed"):
            list(store.fetch_all(query))

    def test_a_handoff_whose_answer_is_lost_is_done(self):
        found = {"anchor": {"name": "auto_handoff/context_overflow", "id": 4, "state": {}, "date": "d"}, "entries": []}
        store = self.serve((413, {"detail": "long"}), None, (400, {"detail": "nothing to leave out"}), (200, found), (200, found))
        with self.assertLogs("handoff_bub", "WARNING"):
            self.assertEqual([e.kind for e in store.fetch_all(FromLastAnchor.of(TapeQuery(tape="t", store=store)))], ["anchor"])
        self.assertEqual([asked[0] for asked in self.asked], ["GET", "POST", "POST", "GET", "GET"])

    def test_a_server_that_was_started_anew_has_another_token(self):
        tokens = ["b" * 16, "b" * 16]
        self.serve((401, {"detail": "want the token"}), (201, {"entries": []}), (401, {"detail": "want the token"}))
        url = f"http://127.0.0.1:{self.port}"
        server = Server(url, "a" * 16, fresh=lambda: tokens.pop())
        server.append("t", [{"kind": "x", "payload": {}}])
        self.assertEqual([asked[3]["Authorization"] for asked in self.asked], ["Bearer " + "a" * 16, "Bearer " + "b" * 16])
        self.assertEqual(len({asked[3]["Idempotency-Key"] for asked in self.asked}), 1)
        with self.assertRaisesRegex(HandoffError, "401"):  # the same token again: it is wrong
            server.names()
        self.assertEqual(tokens, [])

    def test_what_waits_for_the_store_is_heeded(self):
        store = self.serve((200, [], ("Handoff-Queued", "3")), (200, [], ("Handoff-Queued", "4")), (200, []))
        for waits, said in (3, ["is away: 3 appends wait"]), (4, []), (0, ["is back"]):
            with self.subTest(waits), self.assertLogs("handoff_bub", "WARNING") if said else self.assertNoLogs("handoff_bub") as logs:
                store.read("t")
            self.assertEqual(store.tapes.queued, waits)
            for one in said:
                self.assertIn(one, logs.output[0])

    def test_sidecars_are_not_listed(self):
        store = self.serve((200, [{"name": "b"}, {"name": "a__sidecar__spill"}, {"name": "a"}]))
        self.assertEqual(store.list_tapes(), ["a", "b"])


class QueryTest(unittest.TestCase):
    def test_conditions(self):
        query = TapeQuery(tape="t", store=None).kinds("message", "event").between_anchors("a", "b")
        query = query.between_dates("2026-01-01", "2026-01-02").query("x")
        self.assertEqual(conditions(query), [("kind", "message"), ("kind", "event"), ("between", "a"), ("between", "b"),
                                             ("since", "2026-01-01"), ("until", "2026-01-02"), ("text", "x")])

    def test_unknown_kinds_of_errors_are_not_bubs(self):
        self.assertIsNone(query_error("[nonsense] x"))
        self.assertIsNone(query_error("no such tape"))


class ContextTest(unittest.TestCase):
    def contents(self, *entries):
        return [e.payload.get("content") for e in with_state(list(entries), handoff_context())]

    def test_the_state_of_the_last_anchor_comes_first(self):
        self.assertEqual(
            self.contents(
                entry("anchor", {"name": "p1", "state": {"a": 1}}),
                entry("message", {"role": "user", "content": "old"}),
                entry("anchor", {"name": "p2", "state": {"b": "ü"}}),
                entry("message", {"role": "user", "content": "go on"}),
            ),
            ['[Anchor created: p2]: {"b": "ü"}', "go on"],
        )

    def test_a_state_that_is_told_already_is_not_told_twice(self):
        self.assertEqual(
            self.contents(
                entry("anchor", {"name": "p1", "state": {"a": 1}}),
                entry("message", {"role": "user", "content": '[Anchor created: p1]: {"a": 1}'}, {"anchor_state": True}),
            ),
            ['[Anchor created: p1]: {"a": 1}'],
        )

    def test_there_is_nothing_to_tell(self):
        for payload in ({"name": "p1"}, {"name": "p1", "state": {}}, {"name": "session/start", "state": {"owner": "human"}}):
            self.assertEqual(self.contents(entry("anchor", payload)), [])
        self.assertEqual(self.contents(), [])

    def test_other_contexts_are_left_alone(self):
        entries = [entry("anchor", {"name": "p1", "state": {"a": 1}})]
        self.assertIs(with_state(entries, TapeContext(anchor="p1")), entries)


class SettingsTest(unittest.TestCase):
    def setUp(self):
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def refused(self, said, **environ):
        with self.assertRaisesRegex(HandoffError, said):
            tapes_from(self.home, environ)

    def test_what_is_wrong_is_told(self):
        self.refused("install handoff, set HANDOFF_BINARY", PATH=str(self.home))
        self.refused("HANDOFF_URL", HANDOFF_URL="127.0.0.1:7341")
        self.refused("HANDOFF_TOKEN_FILE", HANDOFF_URL="http://localhost:1", HANDOFF_TOKEN_FILE=str(self.home / "none"))
        self.refused("HANDOFF_URL is not", HANDOFF_TOKEN_FILE="x")

    def test_a_server_or_files(self):
        self.assertIsInstance(tapes_from(self.home, {"HANDOFF_URL": "unix:/tmp/s"}), Server)
        self.assertIsInstance(tapes_from(self.home, {"HANDOFF_BINARY": self.program("exit 0")}), Command)

    def program(self, script):
        path = self.home / "program"
        path.write_text("#!/bin/sh\n" + script + "\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_a_command_that_fails_is_an_error(self):
        store = TapeStore(Command(self.program("echo 'handoff: no space' >&2; exit 2"), self.home))
        with self.assertRaisesRegex(HandoffError, "no space"):
            store.append("t", entry("message", {}))

    def test_a_relative_home(self):
        os.chdir(self.home)
        self.addCleanup(os.chdir, "/")
        store = TapeStore(Command(self.program('echo "$*" >asked'), Path("home")))
        with self.assertRaises(HandoffError):  # it answers nothing
            store.append("t", entry("message", {}))
        self.assertEqual(f"serve -C {self.home / 'home'} --listen - --bub {self.home / 'home'}\n", (self.home / "asked").read_text())


if __name__ == "__main__":
    unittest.main()
