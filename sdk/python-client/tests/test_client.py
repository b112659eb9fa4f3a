"""python3 -m unittest discover -s tests, with PYTHONPATH=src"""

import http.server
import json
import threading
import unittest
import unittest.mock

from handoff_client import Client, HandoffError

PROBLEM = ("Content-Type", "application/problem+json")


class Answers(http.server.BaseHTTPRequestHandler):
    """Gives the server's next answer: (status, value, headers…); None breaks the connection, "" never answers."""

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append((self.command, self.path, dict(self.headers)))
        answer = self.server.answers.pop(0)
        if answer == "":
            self.server.ended.wait(10)
        if not answer:
            self.close_connection = True
            return
        status, value, *headers = answer
        text = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(status)
        for name, said in headers or [("Content-Type", "application/json")]:
            self.send_header(name, said)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


class ClientTest(unittest.TestCase):
    def serve(self, *answers, **options):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        server.asked, server.answers, server.ended = [], list(answers), threading.Event()
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        for end in (server.server_close, server.shutdown, server.ended.set):
            self.addCleanup(end)
        self.asked = server.asked
        self.url = f"http://127.0.0.1:{server.server_port}"
        return Client(self.url, "t", **options)

    def test_requests(self):
        client = self.serve((200, []), (200, "# text", ("Content-Type", "text/markdown; charset=utf-8")))
        self.assertEqual(client.list(state="waiting", all=True, limit=None), [])
        self.assertEqual(client.brief("specs/1_a/x y.md", level=2), "# text")
        self.assertEqual([path for _, path, _ in self.asked], ["/handoffs?state=waiting&all=true", "/handoffs/specs%2F1_a%2Fx%20y.md/brief?level=2"])
        self.assertEqual({headers["Authorization"] for _, _, headers in self.asked}, {"Bearer t"})

    def test_token_of_a_server_that_was_started_again(self):
        refused = (401, {"type": "urn:handoff:unauthorized", "title": "Unauthorized"}, PROBLEM)
        self.serve(refused, (200, []), refused)
        found = iter(["old", "new", "new"])
        with unittest.mock.patch("handoff_client.client.local_token", lambda url: next(found)):
            client = Client(self.url)
            self.assertEqual(client.list(), [])
            with self.assertRaises(HandoffError):  # the token is the newest one
                client.claim("1", "ann")
        self.assertEqual([headers["Authorization"] for _, _, headers in self.asked], ["Bearer old", "Bearer new", "Bearer new"])

    def test_refusals(self):
        held = {"type": "urn:handoff:held", "title": "Held", "detail": "by ann", "holder": "ann"}
        client = self.serve((409, held, PROBLEM, ("Retry-After", "7")), (502, "<html>", ("Content-Type", "text/html")), (500, "[", PROBLEM))
        with self.assertRaises(HandoffError) as refused:
            client.claim("latest", "bob")
        error = refused.exception
        self.assertEqual((str(error), error.type, error.problem["holder"], error.retry_after), ("409 Held: by ann", "urn:handoff:held", "ann", 7.0))
        for status in (502, 500):
            with self.assertRaisesRegex(HandoffError, f"^{status} status {status}$"):
                client.list()

    def test_a_silent_server(self):
        with self.assertRaises(OSError):
            self.serve("", timeout=0.05).list()

    def test_what_is_sent_again(self):
        busy = (503, {}, PROBLEM)
        client = self.serve(None, busy, (200, {}), busy, busy, (201, {}), busy, retries=2)
        client.get("latest")
        client.claim_next("ann")
        keys = {headers.get("Idempotency-Key") for method, _, headers in self.asked if method == "POST"}
        self.assertEqual((len(self.asked), len(keys), None in keys), (6, 1, False))
        with self.assertRaises(HandoffError):
            client.done("latest", "claim")  # it has no key
        self.assertEqual(len(self.asked), 7)

    def test_a_stream_goes_on_behind_its_last_event(self):
        stream = ("Content-Type", "text/event-stream")
        client = self.serve(
            (200, ': ping\n\nid: 1\ndata: {"n":\ndata: 1}\n\nid: 2\r\ndata: {"n":2}\r\n\r\nid: 3\ndata: {"n"', stream), None, (503, {}, PROBLEM),
            (200, 'id: 3\ndata: {"n":3}\n\n', stream), (409, {"type": "urn:handoff:feed-began-again"}, PROBLEM),
        )
        got = []
        with self.assertRaises(HandoffError) as ended:
            for event in client.follow(type=["claimed", "done"]):
                got.append((event.id, event.data["n"]))
        self.assertEqual((got, ended.exception.status), ([("1", 1), ("2", 2), ("3", 3)], 409))
        self.assertEqual([headers.get("Last-Event-ID") for _, _, headers in self.asked], [None, "2", "2", "2", "3"])
        self.assertEqual({path for _, path, _ in self.asked}, {"/handoffs/events?type=claimed&type=done"})

    def test_the_stream_of_a_run_ends_with_it(self):
        stream = ("Content-Type", "text/event-stream")
        client = self.serve((200, 'id: 0\ndata: {"type":"session_started"}\n\n', stream), (200, 'id: 1\ndata: {"type":"session_ended"}\n\n', stream))
        self.assertEqual([event.data["type"] for event in client.sessions.events("a b")], ["session_started", "session_ended"])
        self.assertEqual([(path, headers.get("Last-Event-ID")) for _, path, headers in self.asked], [("/sessions/a%20b/events", None), ("/sessions/a%20b/events", "0")])

    def test_bytes(self):
        client = self.serve((201, {"id": "a"}), (200, "012", ("Content-Type", "application/octet-stream")))
        self.assertEqual((client.request("POST", "/artifacts", body=b"012"), client.request("GET", "/artifacts/a")), ({"id": "a"}, b"012"))
        self.assertEqual(self.asked[0][2]["Content-Type"], "application/octet-stream")

    def test_what_the_server_ignores(self):
        client = self.serve((201, {}, ("Content-Type", "application/json"), ("Handoff-Ignored", "from_sec")))
        with self.assertWarnsRegex(UserWarning, "POST /threads/t/branch: the server did without from_sec"):
            client.threads.branch("t", from_sec=1)

    def test_bad_addresses(self):
        for url in ("", "localhost:1", "ftp://a", "http://"):
            with self.assertRaises(ValueError):
                Client(url)


if __name__ == "__main__":
    unittest.main()
