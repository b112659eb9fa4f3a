import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";

import { HandoffError, resume, type EventsOptions, type Open, type Position } from "../dist/index.js";
import { firstOf, frameText, hasty, seeded, serving, type Frame } from "./flaky.js";

const media = { "Content-Type": "text/event-stream" };
const frame = (seq: number): Frame => ({ seq, text: `frame ${seq}` });
const frames = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => frameText(frame(from + i))).join("");

/** Asks a server at that address. */
const at = (url: string): Open => async ({ fromSeq, lastEventId }, signal) => {
  const headers = lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId };
  const response = await fetch(`${url}/?from_seq=${fromSeq}`, { headers, signal });
  if (!response.ok) throw new HandoffError(response);
  return response;
};

/** Answers one request after another with these. A text is a stream that ends after it. */
function script(...answers: (string | Error | number | Response)[]): Open & { asked: Position[] } {
  const open = async (from: Position) => {
    open.asked.push(from);
    const next = answers.shift();
    if (next === undefined) throw new TypeError("the script is over");
    if (next instanceof Error) throw next;
    if (typeof next === "number") throw new HandoffError(new Response(null, { status: next, headers: { "Retry-After": "7" } }));
    return typeof next === "string" ? new Response(next, { headers: media }) : next;
  };
  open.asked = [] as Position[];
  return open;
}

async function take(open: Open, count: number, options: EventsOptions = {}): Promise<number[]> {
  const got: number[] = [];
  if (count === 0) return got;
  for await (const f of resume<Frame>(open, { clock: hasty(40_000), ...options })) {
    got.push(f.seq);
    if (got.length === count) break;
  }
  return got;
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

test("10,000 connections that break anywhere lose and double nothing", async () => {
  const random = seeded(1);
  let connections = 0;
  const server = await serving((req, res) => {
    const first = firstOf(req);
    connections++;
    const luck = connections === 1 ? 1 : random();
    if (luck < 0.05) return void res.writeHead(503, { "Retry-After": "0" }).end();
    if (luck < 0.1) return void req.socket.destroy();
    // Some repeat frames that were received, some leave one out, most continue at the right place.
    const start = luck < 0.2 ? Math.max(0, first - 3) : luck < 0.25 ? first + 1 : first;
    const text = `${luck < 0.5 ? ": ping\n\n" : ""}${frames(start, start + 4)}`;
    res.writeHead(200, media);
    if (luck < 0.3) return void res.end(text);
    const cut = Math.floor(random() * text.length);
    res.write(text.slice(0, cut), () => req.socket.destroy());
  });
  const clock = hasty(40_000);
  const stop = new AbortController();
  let next = 0;
  let lost = 0;
  try {
    for await (const f of resume<Frame>(at(server.url), { clock, signal: stop.signal, onLost: () => lost++ })) {
      assert.deepEqual(f, frame(next++));
      if (connections >= 10_000) break;
    }
  } finally {
    server.close();
  }
  assert.ok(lost >= 9_999, `lost ${lost}`);
  assert.ok(next > 5_000, `${next} frames`);
  assert.equal(getEventListeners(stop.signal, "abort").length, 0);
});

test("it asks for the frames after the last one", async () => {
  const open = script(frames(3, 5), frames(5, 6), frames(6, 7));
  assert.deepEqual(await take(open, 4, { fromSeq: 3 }), [3, 4, 5, 6]);
  assert.deepEqual(open.asked, [
    { fromSeq: 3, lastEventId: undefined },
    { fromSeq: 5, lastEventId: "4" },
    { fromSeq: 6, lastEventId: "5" },
  ]);
});

test("a server that knows no resume, and begins again each time", async () => {
  const all = frames(0, 9).replaceAll(/^id: .*\n/gm, "");
  const open = script(all.slice(0, 100), all.slice(0, 200), all);
  assert.deepEqual(await take(open, 9), numbers(0, 9));
  assert.equal(open.asked[2]?.lastEventId, undefined);
});

test("a frame that is missing is asked for again, but not without end", async () => {
  const gap = frames(0, 2) + frames(3, 4);
  assert.deepEqual(await take(script(gap, frames(2, 4)), 4), [0, 1, 2, 3]);
  await assert.rejects(take(script(gap, ...Array<string>(4).fill(frames(3, 4))), 4), /frame 2 is missing: got 3, 5 times/);
});

test("the first connection must succeed", async () => {
  await assert.rejects(take(script(new TypeError("fetch failed")), 1), /^TypeError: fetch failed/);
  await assert.rejects(take(script(503), 1), (err) => err instanceof HandoffError && err.status === 503);
  const page = new Response("<html>", { headers: { "Content-Type": "text/html" } });
  await assert.rejects(take(script(page), 1), /expected an event stream, got text\/html/);
});

test("later ones only when there is hope", async () => {
  for (const status of [400, 401, 403, 404, 421, 500]) {
    await assert.rejects(take(script(frames(0, 1), status), 2), (err) => err instanceof HandoffError && err.status === status);
  }
  const open = script(frames(0, 1), 503, new TypeError("refused"), 429, "", frames(1, 2));
  assert.deepEqual(await take(open, 2), [0, 1]);
  await assert.rejects(take(script(frames(0, 1), 502, 502, 502), 2, { attempts: 2 }), /2 attempts to reconnect failed/);
  await assert.rejects(take(script(frames(0, 1) + "data: {\n\n"), 2), SyntaxError);
  await assert.rejects(take(script(frames(0, 1) + "data: {}\n\n"), 2), /a frame has no seq number/);
});

test("attempts come at growing distances, spread, until a frame comes", async () => {
  const delays: number[] = [];
  const open = script(frames(0, 1), ...Array<Error>(9).fill(new TypeError("refused")), frames(1, 2), frames(2, 3));
  await take(open, 3, { random: () => 0.5, onLost: (_, delay) => delays.push(delay) });
  assert.deepEqual(delays, [125, 250, 500, 1000, 2000, 4000, 8000, 15000, 15000, 15000, 125]);
});

test("what the server says of when to come back counts", async () => {
  const delays: number[] = [];
  await take(script(frames(0, 1), 503, frames(1, 2)), 2, { random: () => 0, onLost: (_, delay) => delays.push(delay) });
  assert.deepEqual(delays, [0, 7000]);
});

test("a long quiet connection makes attempts near again", async () => {
  let now = 0;
  const delays: number[] = [];
  const clock = { ...hasty(40_000), now: () => (now += 40_000) };
  await take(script(frames(0, 1), "", "", "", frames(1, 2)), 2, { clock, random: () => 0.5, onLost: (_, delay) => delays.push(delay) });
  assert.deepEqual(delays, [125, 125, 125, 125]);
});

test("a connection that falls silent is lost", async () => {
  let connections = 0;
  const server = await serving((req, res) => {
    const first = firstOf(req);
    connections++;
    if (connections === 2) return; // does not even send its headers
    res.writeHead(200, media);
    res.write(frames(first, first + 1)); // and nothing more
  });
  const why: string[] = [];
  try {
    const got = await take(at(server.url), 3, { clock: hasty(40_000), keepAlive: 60_000, signal: AbortSignal.timeout(60) });
    assert.deepEqual(got, [0], "nothing is silent for long enough");
    const options = { clock: undefined, keepAlive: 200, firstDelay: 1, onLost: (err: Error) => void why.push(err.message) };
    connections = 0;
    assert.deepEqual(await take(at(server.url), 3, options), [0, 1, 2]);
  } finally {
    server.close();
  }
  assert.deepEqual(why, Array(3).fill("nothing arrived for 200 ms"));
});

test("pings keep a quiet connection", async () => {
  const server = await serving((_, res) => {
    res.writeHead(200, media);
    let n = 0;
    const timer = setInterval(() => res.write(++n < 20 ? ": ping\n\n" : frames(0, 1)), 25);
    res.on("close", () => clearInterval(timer));
  });
  let lost = 0;
  try {
    assert.deepEqual(await take(at(server.url), 1, { clock: undefined, keepAlive: 400, onLost: () => lost++ }), [0]);
  } finally {
    server.close();
  }
  assert.equal(lost, 0);
});

test("time that the reader takes is not the server's silence", async () => {
  const open = script(frames(0, 3));
  const got: number[] = [];
  let lost = 0;
  for await (const f of resume<Frame>(open, { keepAlive: 20, onLost: () => lost++ })) {
    got.push(f.seq);
    await new Promise((resolve) => setTimeout(resolve, 60));
    if (got.length === 3) break;
  }
  assert.deepEqual([got, lost], [[0, 1, 2], 0]);
});

/** A stream that stays open forever, and reports when it was cancelled. */
function endless(text: string): { open: Open; closed: () => boolean } {
  let closed = false;
  const body = () =>
    new ReadableStream<Uint8Array>({
      start: (c) => c.enqueue(new TextEncoder().encode(text)),
      cancel: () => void (closed = true),
    });
  return { open: async () => new Response(body(), { headers: media }), closed: () => closed };
}

test("abort ends it: while it waits, before it began, and between frames", async () => {
  const { open, closed } = endless(frames(0, 3));
  const waiting = new AbortController();
  const got: number[] = [];
  for await (const f of resume<Frame>(open, { signal: waiting.signal })) {
    got.push(f.seq);
    if (f.seq === 2) setTimeout(() => waiting.abort(), 10);
  }
  assert.deepEqual(got, [0, 1, 2]);
  assert.ok(closed());
  assert.equal(getEventListeners(waiting.signal, "abort").length, 0);

  assert.deepEqual(await take(open, 9, { signal: AbortSignal.abort() }), []);

  const between = new AbortController();
  for await (const f of resume<Frame>(open, { signal: between.signal })) {
    assert.equal(f.seq, 0);
    between.abort();
  }
});

test("abort ends a pause between attempts", async () => {
  const stop = new AbortController();
  const options = { signal: stop.signal, clock: undefined, firstDelay: 1e6, longestDelay: 1e6, random: () => 0.9, onLost: () => setTimeout(() => stop.abort(), 5) };
  assert.deepEqual(await take(script(frames(0, 1)), 2, options), [0]);
  assert.equal(getEventListeners(stop.signal, "abort").length, 0);
});

test("a fetch that heeds no signal is let go all the same", async () => {
  const { open, closed } = endless(frames(0, 3));
  const stop = new AbortController();
  const deaf: Open = (from, signal) => (stop.abort(), open(from, signal));
  assert.deepEqual(await take(deaf, 9, { signal: stop.signal }), []);
  assert.ok(closed());
});

test("break lets go of the connection", async () => {
  const { open, closed } = endless(frames(0, 3));
  await take(open, 2);
  assert.ok(closed());
});
