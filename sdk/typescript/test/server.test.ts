// Every helper against the real server, which is built from this checkout.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { openAsBlob, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { answer, createClient, HandoffError, type Client } from "../dist/index.js";
import { serve, workspace, type Served } from "./server.js";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Expects a problem of the server, and returns it. */
async function refused(status: number, call: Promise<unknown>): Promise<HandoffError> {
  const err = await call.then(() => assert.fail("it was served"), (err: unknown) => err);
  assert.ok(err instanceof HandoffError, String(err));
  assert.equal(err.status, status);
  assert.ok(err.title && err.detail && err.message.includes(err.detail), err.message);
  return err;
}

describe("a server", () => {
  const folder = workspace();
  let served: Served;
  let client: Client;
  before(async () => {
    served = await serve(folder);
    client = createClient({ baseUrl: served.url });
  });
  after(() => served.stop());

  test("health", async () => assert.deepEqual(await client.health(), { status: "ok" }));

  test("artifacts are stored once, and come back as they were", async () => {
    const data = new Uint8Array(randomBytes(3_000_000));
    const id = sha256(data);
    assert.deepEqual(await client.artifacts.put(data), { id, size: data.length, outcome: "created" });
    assert.equal((await client.artifacts.put(data, id)).outcome, "kept");
    assert.equal(sha256(await client.artifacts.get(id)), id);
    assert.equal((await client.artifacts.put(new Uint8Array())).size, 0);
  });

  test("artifacts of text, buffers, blobs and files", async () => {
    const path = join(folder, "file");
    writeFileSync(path, "häßlich");
    const want = sha256(bytes("häßlich"));
    for (const data of ["häßlich", bytes("häßlich"), bytes("häßlich").buffer, new Blob(["häß", "lich"]), await openAsBlob(path)]) {
      assert.equal((await client.artifacts.put(data)).id, want);
    }
  });

  test("parts of an artifact", async () => {
    const { id } = await client.artifacts.put("0123456789");
    const part = async (range: Parameters<Client["artifacts"]["get"]>[1]) => text(await client.artifacts.get(id, range));
    assert.equal(await part({ start: 2, end: 5 }), "234");
    assert.equal(await part({ start: 7 }), "789");
    assert.equal(await part({ start: 0, end: 100 }), "0123456789");
    assert.equal(await part({ last: 3 }), "789");
    assert.equal(await part({ last: 30 }), "0123456789");
    await refused(416, part({ start: 10 }));
    for (const range of [{ start: 3, end: 3 }, { start: -1 }, { start: 0.5 }, { last: 0 }, { start: NaN }]) {
      await assert.rejects(part(range), RangeError);
    }
  });

  test("an artifact piece by piece", async () => {
    const { id } = await client.artifacts.put("0123456789");
    const response = await client.artifacts.open(id, { start: 5 });
    assert.equal(response.headers.get("Content-Range"), "bytes 5-9/10");
    let got = "";
    for await (const chunk of response.body!) got += text(chunk);
    assert.equal(got, "56789");
    const stop = AbortSignal.abort();
    await assert.rejects(client.artifacts.get(id, undefined, stop), { name: "AbortError" });
  });

  test("refusals", async () => {
    await refused(404, client.artifacts.get("0".repeat(64)));
    await refused(404, client.artifacts.open("0".repeat(64)));
    await refused(400, client.artifacts.get("../../etc/passwd"));
    const err = await refused(422, client.artifacts.put("other bytes", sha256(bytes("these bytes"))));
    assert.equal(err.message, "422 Unprocessable Entity: the bytes do not match the ID, which is their SHA-256");
    assert.equal(err.retryAfter, undefined);
    await refused(404, client.tasks.get(1));
  });

  test("tasks", async () => {
    assert.deepEqual((await client.tasks.list()).map((t) => t.task), [259, 870]);
    assert.equal((await client.tasks.get(259)).handoffs[0]?.ref, "259/3");
  });

  test("handoffs", async () => {
    assert.deepEqual((await client.handoffs.list({ task: 259 })).map((h) => h.ref), ["259/3"]);
    assert.deepEqual(await client.handoffs.list({ task: 259, phase: "9" }), []);
    const { path } = await client.handoffs.get("259/3");
    assert.equal((await client.handoffs.get(path)).ref, "259/3");
    assert.match(await client.handoffs.document("latest"), /^# Phase 3 Handoff/);
    const short = await client.handoffs.brief("259/3");
    const long = await client.handoffs.brief("259/3", { level: "2" });
    assert.match(short, /## Immediate Next Action/);
    assert.ok(long.length > short.length);
  });

  test("findings", async () => assert.equal((await client.findings({ task: 259 })).summary.errors, 0));

  test("any path of the document", async () => {
    const { data, response } = await client.api.GET("/metrics", { parseAs: "text" });
    assert.equal(response.status, 200);
    assert.match(data ?? "", /^# HELP/m);
    assert.ok("paths" in (await answer(client.api.GET("/openapi.json"))));
  });
});

test("a server with a token", async () => {
  const folder = workspace();
  const token = randomBytes(16).toString("hex");
  writeFileSync(join(folder, "token"), token, { mode: 0o600 });
  const served = await serve(folder, "--token-file", "token");
  const baseUrl = served.url;
  try {
    await refused(401, createClient({ baseUrl }).tasks.list());
    await refused(401, createClient({ baseUrl, token: `${token}0` }).tasks.list());
    assert.equal((await createClient({ baseUrl, token }).tasks.list()).length, 2);
    assert.equal((await createClient({ baseUrl, token: async () => token }).tasks.list()).length, 2);
    assert.deepEqual(await createClient({ baseUrl }).health(), { status: "ok" });
  } finally {
    await served.stop();
  }
});
