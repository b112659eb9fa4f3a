// Threads and their streams against the real server, over connections that
// break.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { createClient, HandoffError, type Client, type ThreadFrame } from "../dist/index.js";
import { cutting } from "./cutting.js";
import { seeded } from "./flaky.js";
import { serve, workspace, type Served } from "./server.js";

const refusal = (status: number) => (err: unknown) => err instanceof HandoffError && err.status === status && err.detail !== "";

/** The first frames of a thread. */
async function frames(client: Client, id: string, count: number): Promise<ThreadFrame[]> {
  const list: ThreadFrame[] = [];
  for await (const frame of client.threads.events(id)) {
    list.push(frame);
    if (list.length === count) break;
  }
  return list;
}

describe("threads", () => {
  const folder = workspace();
  let served: Served;
  let client: Client;
  before(async () => {
    served = await serve(folder);
    client = createClient({ baseUrl: served.url });
  });
  after(() => served.stop());

  test("the default thread", async () => {
    const { thread_id } = await client.threads.ensure();
    assert.deepEqual(await client.threads.ensure(), { thread_id });
    assert.equal((await client.threads.get(thread_id)).archived, false);
    assert.ok((await client.threads.list()).some((t) => t.thread_id === thread_id));
  });

  test("create, and again", async () => {
    const made = await client.threads.create({ title: "one" }, { idempotencyKey: "k1" });
    assert.equal(made.title, "one");
    assert.equal((await client.threads.create({ title: "one" }, { idempotencyKey: "k1" })).thread_id, made.thread_id);
    await assert.rejects(client.threads.create({ title: "two" }, { idempotencyKey: "k1" }), refusal(409));
    assert.equal((await client.threads.create()).title, null);
  });

  test("a message and its run", async () => {
    const { thread_id } = await client.threads.create();
    const posted = await client.threads.post(thread_id, "hello");
    let said = "";
    let end = "";
    for await (const frame of client.sessions.events(posted.session_id)) {
      if (frame.type === "output_text_delta") said += frame.delta;
      if (frame.type === "session_ended") end = frame.reason;
    }
    assert.deepEqual([said, end], ["ack: hello", "completed"]);
    const [created, message, spawned, ended] = await frames(client, thread_id, 4);
    assert.equal(created?.type, "continuity_created");
    assert.ok(message?.type === "continuity_message_appended" && message.content === "hello" && message.id === posted.message_id);
    assert.ok(spawned?.type === "continuity_run_spawned" && spawned.run_session_id === posted.session_id);
    assert.ok(ended?.type === "continuity_run_ended" && ended.reason === "completed");
    const named = await client.threads.post(thread_id, { content: "again", actor_id: "alice", origin: "test" });
    const [, , , , second] = await frames(client, thread_id, 5);
    assert.ok(second?.type === "continuity_message_appended" && second.actor_id === "alice" && second.id === named.message_id);
  });

  test("branch and handoff", async () => {
    const { thread_id } = await client.threads.create();
    const { message_id } = await client.threads.post(thread_id, "hello");
    const branch = await client.threads.branch(thread_id, { from_message_id: message_id, title: "b" }, { idempotencyKey: "k2" });
    assert.deepEqual(await client.threads.branch(thread_id, { from_message_id: message_id, title: "b" }, { idempotencyKey: "k2" }), branch);
    assert.equal(branch.parent_thread_id, thread_id);
    const through = [];
    for await (const frame of client.threads.events(branch.thread_id, { inherited: true, fromSeq: 1, signal: AbortSignal.timeout(20_000) })) {
      through.push(frame.stream_id === thread_id ? "inherited" : frame.type);
      if (frame.type === "continuity_branched") break;
    }
    assert.deepEqual(through, [...Array(branch.parent_seq).fill("inherited"), "continuity_created", "continuity_branched"]);
    const refs = { files: [{ path: "src/a.ts", note: "start here" }] };
    const handoff = await client.threads.handoff(thread_id, { summary_markdown: "# Summary", refs });
    assert.equal(handoff.from_thread_id, thread_id);
    const [, first] = await frames(client, handoff.thread_id, 2);
    assert.ok(first?.type === "continuity_handoff_created" && first.summary_artifact_id);
    const bundle = JSON.parse(new TextDecoder().decode(await client.artifacts.get(first.summary_artifact_id)));
    assert.equal(bundle.schema, "rip.handoff_context_bundle.v1");
    assert.deepEqual(bundle.refs.files, refs.files);
    const children = (await client.threads.lineage(thread_id))?.children.map((c) => c.thread_id);
    assert.deepEqual(new Set(children), new Set([branch.thread_id, handoff.thread_id]));
  });

  test("refusals", async () => {
    const nowhere = "99999999-9999-4999-8999-999999999999";
    const { thread_id } = await client.threads.create();
    await assert.rejects(client.threads.get(nowhere), refusal(404));
    await assert.rejects(client.threads.post(nowhere, "x"), refusal(404));
    await assert.rejects(client.threads.handoff(thread_id, {}), refusal(400));
    await assert.rejects(client.threads.branch(thread_id, { from_seq: 99 }), refusal(400));
    await assert.rejects(client.threads.events(nowhere).next(), refusal(404));
    await assert.rejects(client.sessions.events(nowhere).next(), refusal(404));
    await assert.rejects(client.sessions.cancel(nowhere), refusal(404));
  });

  test("a run is cancelled", async () => {
    const { session_id } = await client.api.POST("/sessions").then(({ data }) => data!);
    await client.sessions.cancel(session_id);
    await assert.rejects(client.sessions.cancel(session_id), refusal(404));
  });

  test("frames from a number on, and those to come, until it is aborted", async () => {
    const { thread_id } = await client.threads.create();
    const stop = new AbortController();
    const got: number[] = [];
    for await (const frame of client.threads.events(thread_id, { fromSeq: 1, signal: AbortSignal.any([stop.signal, AbortSignal.timeout(100)]) })) {
      assert.fail(`frame ${frame.seq}`);
    }
    const posting = client.threads.post(thread_id, "hello");
    for await (const frame of client.threads.events(thread_id, { fromSeq: 1, signal: stop.signal })) {
      got.push(frame.seq);
      if (frame.type === "continuity_run_ended") stop.abort();
    }
    await posting;
    assert.deepEqual(got, [1, 2, 3]);
  });

  test("a stream whose connections are cut gives each frame once", async () => {
    const { thread_id } = await client.threads.create();
    const proxy = await cutting(served.url, seeded(2));
    const messages = 150;
    const writing = (async () => {
      for (let i = 0; i < messages; i++) await client.threads.post(thread_id, `message ${i}`);
    })();
    const got: ThreadFrame[] = [];
    const far = createClient({ baseUrl: proxy.url });
    try {
      // The first connection must succeed: this seed cuts it late enough.
      for await (const frame of far.threads.events(thread_id, { firstDelay: 1, longestDelay: 10 })) {
        assert.equal(frame.seq, got.length);
        got.push(frame);
        if (got.length === 1 + 3 * messages) break;
      }
      await writing;
    } finally {
      proxy.close();
    }
    assert.ok(proxy.cuts() > 50, `${proxy.cuts()} cuts`);
    const said = got.flatMap((f) => (f.type === "continuity_message_appended" ? [f.content] : []));
    assert.deepEqual(said, Array.from({ length: messages }, (_, i) => `message ${i}`));
    assert.deepEqual(got, await frames(client, thread_id, got.length));
  });
});

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  test(`a stream outlives its server, which ends by ${signal}`, async () => {
    const folder = workspace();
    let served = await serve(folder);
    const client = createClient({ baseUrl: served.url });
    const listen = new URL(served.url).host;
    const { thread_id } = await client.threads.create();
    const got: ThreadFrame[] = [];
    let lost = 0;
    try {
      for await (const frame of client.threads.events(thread_id, { firstDelay: 5, longestDelay: 50, onLost: () => lost++ })) {
        assert.equal(frame.seq, got.length);
        got.push(frame);
        if (frame.type === "continuity_message_appended") continue;
        if (frame.type === "continuity_run_spawned") continue;
        const posted = got.filter((f) => f.type === "continuity_message_appended").length;
        if (posted === 4) break;
        await served.stop(signal);
        served = await serve(folder, "--listen", listen);
        await client.threads.post(thread_id, `message ${posted}`);
      }
    } finally {
      await served.stop();
    }
    assert.ok(lost >= 4, `lost ${lost}`);
    const said = got.flatMap((f) => (f.type === "continuity_message_appended" ? [f.content] : []));
    assert.deepEqual(said, ["message 0", "message 1", "message 2", "message 3"]);
  });
}
