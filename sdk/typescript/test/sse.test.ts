import assert from "node:assert/strict";
import { test } from "node:test";

import { EventParser, EventTooLongError, type ServerSentEvent } from "../dist/sse.js";

const bytes = (text: string) => new TextEncoder().encode(text);

/** Reads a text that comes in chunks of so many bytes. */
function read(text: string | Uint8Array, size = Infinity): ServerSentEvent[] {
  const all = typeof text === "string" ? bytes(text) : text;
  const parser = new EventParser();
  const events = [];
  for (let i = 0; i < all.length; i += size) events.push(...parser.push(all.subarray(i, i + size)));
  return events;
}

const event = (data: string, id = "", type = "message"): ServerSentEvent => ({ id, type, data });

const cases: Record<string, [text: string, want: ServerSentEvent[]]> = {
  "as the server sends it": ['id: 0\ndata: {"a":1}\n\nid: 1\ndata: {}\n\n', [event('{"a":1}', "0"), event("{}", "1")]],
  "keep-alive comments": [": ping\n\n: ping\n\ndata: x\n: within\n\n:\n\n", [event("x")]],
  "CRLF": ["id: 7\r\ndata: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", [event("a\nb", "7"), event("c", "7")]],
  "CR": ["data: a\rdata: b\r\rdata: c\r\r", [event("a\nb"), event("c")]],
  "mixed line ends": ["data: a\r\ndata: b\n\r\ndata: c\r\r\ndata: d\n\n", [event("a\nb"), event("c"), event("d")]],
  "lines of data": ["data: a\ndata:\ndata: b\ndata\n\n", [event("a\n\nb\n")]],
  "one space is dropped": ["data:a\n\ndata: a\n\ndata:  a\n\ndata:\ta\n\n", [event("a"), event("a"), event(" a"), event("\ta")]],
  "a colon in the value": ['data: {"a":"b: c"}\n\n', [event('{"a":"b: c"}')]],
  "empty data is an event": ["data\n\ndata:\n\n", [event(""), event("")]],
  "no data is none, but its id stays": ["id: 5\nevent: x\n\ndata: a\n\n", [event("a", "5")]],
  "types": ["event: add\ndata: 1\n\ndata: 2\n\n", [event("1", "", "add"), event("2")]],
  "an id that is taken back": ["id: 1\ndata: a\n\nid\ndata: b\n\n", [event("a", "1"), event("b")]],
  "an id with NUL is none": ["id: 1\n\nid: 2\0\ndata: a\n\n", [event("a", "1")]],
  "unknown fields": ["retry: 10\nfoo: bar\nDATA: no\n data: no\ndata: a\n\n", [event("a")]],
  "a byte order mark": ["\uFEFFdata: a\n\n", [event("a")]],
  "one that is not at the beginning": ["data: a\n\n\uFEFFdata: b\n\n", [event("a")]],
  "letters of two to four bytes": ["data: é€😀\n\n", [event("é€😀")]],
  "what was cut off": ["data: a\n\ndata: b\n", [event("a")]],
  "nothing": ["", []],
};

for (const [name, [text, want]] of Object.entries(cases)) {
  test(name, () => {
    const size = bytes(text).length;
    assert.deepEqual(read(text), want);
    for (let n = 1; n <= size; n++) assert.deepEqual(read(text, n), want, `in chunks of ${n}`);
    for (let cut = 0; cut <= size; cut++) {
      const parser = new EventParser();
      const got = [...parser.push(bytes(text).subarray(0, cut)), ...parser.push(bytes(text).subarray(cut))];
      assert.deepEqual(got, want, `cut at ${cut}`);
    }
  });
}

test("an event comes with its last byte, not with the next chunk", () => {
  const parser = new EventParser();
  assert.deepEqual(parser.push(bytes("data: a\r\n\r")), [event("a")]);
  assert.deepEqual(parser.push(bytes("\n")), []);
  assert.deepEqual(parser.push(bytes("data: b\n\n")), [event("b")]);
});

test("bytes that are not UTF-8 spoil no other event", () => {
  assert.deepEqual(read(Uint8Array.of(...bytes("data: "), 0xff, ...bytes("\n\ndata: b\n\n"))), [event("\uFFFD"), event("b")]);
});

test("an event of 16 MiB in small chunks", () => {
  const data = "x".repeat(16 * 1024 * 1024);
  const [got, ...more] = read(`id: 9\ndata: ${data}\n\n`, 4096);
  assert.equal(got?.data.length, data.length);
  assert.equal(got?.id, "9");
  assert.deepEqual(more, []);
});

test("one that never ends is an error; comments without end are none", () => {
  const parser = new EventParser();
  const chunk = bytes("x".repeat(1024 * 1024));
  assert.throws(() => {
    for (let i = 0; i < 40; i++) parser.push(chunk);
  }, EventTooLongError);
  const patient = new EventParser();
  const comment = bytes(`: ${"x".repeat(1024 * 1024)}\n`);
  for (let i = 0; i < 40; i++) patient.push(comment);
  assert.deepEqual(patient.push(bytes("data: a\n\n")), [event("a")]);
});
