// How one call is sent: its time limit, its signal, its retries.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { createClient, HandoffError } from "../dist/index.js";
import { serving } from "./flaky.js";
import { serve, workspace } from "./server.js";

const text = new Uint8Array([1]);

test("a server that never answers", async () => {
  const silent = await serving(() => {});
  try {
    const client = createClient({ baseUrl: silent.url, timeout: 50 });
    await assert.rejects(client.handoffs.list(), { name: "TimeoutError" });
    await assert.rejects(client.handoffs.claim("latest", { as: "ann" }, { timeout: 60, retries: 1 }), { name: "TimeoutError" });
    const reason = new Error("enough");
    await assert.rejects(client.threads.list({}, { timeout: 0, signal: AbortSignal.any([abortedSoon(reason)]) }), reason);
    await assert.rejects(client.artifacts.put(text, undefined, { timeout: 50 }), { name: "TimeoutError" });
  } finally {
    silent.close();
  }
});

test("an answer that breaks off", async () => {
  const half = await serving((_, res) => res.writeHead(200, { "Content-Type": "application/json", "Content-Length": "99" }).write("["));
  try {
    await assert.rejects(createClient({ baseUrl: half.url, timeout: 100 }).tasks.list(), { name: "TimeoutError" });
  } finally {
    half.close();
  }
});

test("what is sent again, and what is not", async () => {
  const seen: string[] = [];
  const busy = await serving((req, res) => {
    seen.push(`${req.method} ${req.headers["idempotency-key"] ?? ""}`);
    const code = seen.length < 3 ? 503 : 200;
    res.writeHead(code, { "Content-Type": code === 200 ? "application/json" : "application/problem+json" }).end(code === 200 ? "{}" : '{"title":"busy"}');
  });
  try {
    const client = createClient({ baseUrl: busy.url });
    const count = async (what: Promise<unknown>) => {
      const before = seen.splice(0).length;
      await what.catch((err: unknown) => assert.ok(err instanceof HandoffError && err.status === 503, `${before} ${err}`));
      return seen.length;
    };
    assert.equal(await count(client.handoffs.get("latest", { retries: 2 })), 3);
    assert.equal(await count(client.handoffs.get("latest")), 1);
    assert.equal(await count(client.handoffs.done("latest", { claim: "c" }, { retries: 2 })), 1, "done has no key");
    assert.equal(await count(client.handoffs.claim("latest", { as: "ann" }, { retries: 2 })), 3);
    assert.equal(new Set(seen).size, 1, "each attempt has the same key");
    assert.match(seen[0]!, /^POST [0-9a-f-]{36}$/);
    assert.equal(await count(client.artifacts.put(text, "a".repeat(64), { retries: 2 })), 3, "bytes are sent again");
  } finally {
    busy.close();
  }
});

test("the app of the generated clients", async () => {
  const server = await serve(workspace());
  try {
    const client = createClient({ baseUrl: server.url });
    const [first] = await client.handoffs.list();
    const claimed = await client.handoffs.claim(first!.path, { as: "app" });
    assert.match(await client.handoffs.brief(first!.path), /Immediate Next Action/);
    const appended = await client.tapes.append("app", [{ kind: "message", payload: { role: "user", content: "begun" } }], { retries: 1 });
    assert.equal(appended.entries[0]!.kind, "message");
    assert.equal((await client.handoffs.done(first!.path, { claim: claimed.claim! })).state, "done");
    await assert.rejects(client.handoffs.claim(first!.path, { as: "app" }), { status: 409, type: "urn:handoff:finished" });
    const overview = await client.overview();
    assert.ok(overview.tasks.length > 0);
    assert.match(await client.metrics(), /handoff_build_info/);
    const { session_id } = await client.sessions.create();
    await client.sessions.send(session_id, { input: "hello" });
  } finally {
    await server.stop();
  }
});

test("each operation has a helper", () => {
  const sources = fileURLToPath(new URL("../src/", import.meta.url));
  const calls = readdirSync(sources).filter((name) => name !== "schema.ts").map((name) => readFileSync(sources + name, "utf8")).join("");
  const document = JSON.parse(readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8")) as { paths: Record<string, object> };
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const method of Object.keys(methods)) {
      assert.ok(calls.includes(`api.${method.toUpperCase()}("${path}"`), `${method} ${path} has none`);
    }
  }
});

/** A signal that is aborted in a moment. */
function abortedSoon(reason: Error): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 20);
  return controller.signal;
}
