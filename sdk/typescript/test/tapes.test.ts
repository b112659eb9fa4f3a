// Tapes and their streams against the real server, over connections that break
// and resets.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { createClient, HandoffError, type Client, type TapeEvent } from "../dist/index.js";
import { cutting } from "./cutting.js";
import { seeded } from "./flaky.js";
import { serve, workspace, type Served } from "./server.js";

const refusal = (status: number, detail: string) => (err: unknown) => err instanceof HandoffError && err.status === status && err.detail === detail;

const message = (content: string) => ({ kind: "message", payload: { role: "user", content } });

const content = ({ entry }: TapeEvent) => (entry.kind === "message" ? [entry.payload["content"] as string] : []);

describe("tapes", () => {
  const folder = workspace();
  let served: Served;
  let client: Client;
  before(async () => {
    served = await serve(folder);
    client = createClient({ baseUrl: served.url });
  });
  after(() => served.stop());

  test("append, once, and look", async () => {
    assert.deepEqual(await client.tapes.list(), []);
    const made = await client.tapes.append("cli:a/b", [message("one"), message("two")], { idempotencyKey: "k", after: 0 });
    assert.deepEqual(made.entries.map((e) => e.id), [3, 4]);
    assert.deepEqual(await client.tapes.append("cli:a/b", [message("one"), message("two")], { idempotencyKey: "k", after: 0 }), made);
    await assert.rejects(client.tapes.append("cli:a/b", [message("x")], { after: 3 }), refusal(409, "the largest id of the tape is not the one in after"));
    await client.tapes.handoff("cli:a/b", { name: "phase/1", summary: "s", state: { tables: 5 } });
    await client.tapes.append("cli:a/b", [message("three")]);
    assert.equal((await client.tapes.get("cli:a/b")).last_anchor, "phase/1");
    assert.deepEqual((await client.tapes.entries("cli:a/b", { last_anchor: true, kind: ["message"] })).map((e) => e.id), [7]);
    assert.deepEqual((await client.tapes.entries("cli:a/b", { between: ["session/start", "phase/1"], kind: ["message"] })).map((e) => e.id), [3, 4]);
    await assert.rejects(client.tapes.entries("cli:a/b", { after_anchor: "x" }), refusal(404, "[not_found] Anchor 'x' was not found."));
    assert.deepEqual((await client.tapes.anchors("cli:a/b", { limit: 1 }))[0]?.state, { tables: 5, summary: "s" });
    assert.equal((await client.tapes.search("cli:a/b", "THREE"))[0]?.entry.id, 7);
    assert.deepEqual((await client.tapes.at("tape://workspace/cli:a%2Fb/anchor/phase%2F1")).map((e) => e.id), [5]);
    await assert.rejects(client.tapes.at("tape://elsewhere/main"), refusal(404, "no such workspace, tape, entry or anchor here"));
    assert.equal((await client.tapes.exec("cli:a/b", ",anchors limit=1", { no_record: true })).output, "- phase/1");
    await assert.rejects(client.tapes.exec("cli:a/b", "ls"), refusal(400, '"ls" is not a command: commands start with a comma, like ,handoff name=phase-1 summary="…"'));
    await client.tapes.append("old", [message("long ago")]);
    const { archived = "" } = await client.tapes.delete("old");
    assert.deepEqual(await client.tapes.archives("old"), [{ archive: archived }]);
    assert.equal((await client.tapes.archive(archived)).entries, 3);
    assert.equal((await client.tapes.archiveEntries(archived, { limit: 1 })).length, 1);
    assert.equal((await client.tapes.archiveSearch(archived, "AGO"))[0]?.entry.id, 3);
    assert.equal((await client.tapes.archiveContext(archived, { all: true })).messages, 2);
    assert.equal((await client.tapes.lineage("cli:a/b"))[0]?.focus, true);
    assert.equal((await client.tapes.schema("mcp") as { name: string }).name, "tape_handoff");
    assert.equal((await client.tapes.context("cli:a/b", { for: "anthropic" })).full, false);
    assert.deepEqual((await client.tapes.recover("cli:a/b")).entries.map((e) => e.id), [6, 7]);
  });

  test("members of an entry that nobody knows stay", async () => {
    const entry = { ...message("one"), trace: { b: [1, "ä"], a: null }, span: 7 };
    const { entries: [made] } = await client.tapes.append("others", [entry]);
    assert.deepEqual([made?.trace, made?.span], [entry.trace, 7]);
    const [read] = await client.tapes.entries("others", { kind: ["message"] });
    assert.deepEqual(read, made);
    const { entries: [again] } = await client.tapes.append("again", [read!]); // it gets a new id
    assert.deepEqual([again?.trace, again?.span, again?.date], [entry.trace, 7, read?.date]);
  });

  test("fork, merge, discard, reset", async () => {
    await client.tapes.append("main", [message("one")]);
    await client.tapes.fork("main", { to: "side", link: true, next_steps: "try" });
    await client.tapes.append("side", [message("two")]);
    assert.equal((await client.tapes.merge("side")).entries, 1);
    const { tape } = await client.tapes.fork("main", {}, { idempotencyKey: "f" });
    assert.equal((await client.tapes.fork("main", {}, { idempotencyKey: "f" })).tape, tape);
    assert.equal((await client.tapes.discard(tape, { reason: "no" })).parent, "main");
    const { archived } = await client.tapes.reset("main", {}, { idempotencyKey: "r" });
    assert.match(archived!, /^tape\/archived\/main_/);
    assert.equal((await client.tapes.reset("main", {}, { idempotencyKey: "r" })).archived, archived);
    await assert.rejects(client.tapes.reset("main", { archive: false }), (err: unknown) => err instanceof HandoffError && err.status === 400);
    assert.equal((await client.tapes.reset("main", { archive: false, confirm: "main" })).archived, undefined);
    assert.deepEqual(await client.tapes.create("bubs", { bare: true }), { tape: "bubs", created: true });
    assert.equal((await client.tapes.append("bubs", [message("one")])).entries[0]?.id, 1);
    assert.equal((await client.tapes.append("more", [message("one")], { bare: true })).entries[0]?.id, 1);
    assert.match((await client.tapes.delete("bubs")).archived ?? "", /bubs_/);
    assert.equal((await client.tapes.delete("more", { archive: false, confirm: "more" })).archived, undefined);
    await assert.rejects(client.tapes.delete("more"), refusal(404, "no such tape"));
  });

  test("an envelope", async () => {
    await client.tapes.handoff("from", { summary: "s" });
    const envelope = await client.tapes.send("from", { from: "agent:a", to: "agent:b" });
    assert.equal((await client.tapes.receive("to", envelope)).existed, false);
    assert.equal((await client.tapes.receive("to", envelope)).existed, true);
  });

  test("a stream whose connections are cut, of a tape that is reset, gives each entry once", async () => {
    const messages = 100;
    await client.tapes.append("stream", [message("0")]);
    let after = ""; // without a cursor the stream starts with the current tape, which may be another one after a reconnect
    for await (const event of client.tapes.events("stream")) {
      after = event.place;
      break;
    }
    const proxy = await cutting(served.url, seeded(2));
    const writing = (async () => {
      for (let i = 1; i < messages; i++) {
        await client.tapes.append("stream", [message(`${i}`)]);
        if (i % 20 === 0) await client.tapes.reset("stream");
      }
    })();
    const got: string[] = [];
    let middle = "";
    const far = createClient({ baseUrl: proxy.url });
    try {
      for await (const event of far.tapes.events("stream", { after, firstDelay: 1, longestDelay: 10 })) {
        got.push(...content(event));
        if (got.length === messages / 2) middle ||= event.place;
        if (got.length === messages) break;
      }
      await writing;
    } finally {
      proxy.close();
    }
    assert.ok(proxy.cuts() > 10, `${proxy.cuts()} cuts`);
    const all = Array.from({ length: messages }, (_, i) => `${i}`);
    assert.deepEqual(got, all);
    // Another process continues from a place, although the tape was replaced.
    const rest: string[] = [];
    for await (const event of client.tapes.events("stream", { after: middle, kind: ["message"] })) {
      rest.push(...content(event));
      if (rest.length === messages / 2) break;
    }
    assert.deepEqual(rest, all.slice(messages / 2));
  });

  test("the stream of a fork ends with it", async () => {
    await client.tapes.append("parent", [message("one")]);
    await client.tapes.fork("parent", { to: "fork" });
    const got: string[] = [];
    const reading = (async () => {
      for await (const event of client.tapes.events("fork", { last_anchor: true, firstDelay: 1 })) {
        got.push(event.entry.kind === "event" ? (event.entry.payload["name"] as string) : event.entry.kind);
        if (got.length === 3) await client.tapes.merge("fork");
      }
    })();
    await assert.rejects(reading, refusal(404, "no such tape"));
    assert.deepEqual(got, ["handoff", "message", "tape.fork", "tape.closed"]);
  });
});
