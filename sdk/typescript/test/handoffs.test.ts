// Handoffs and their events against the real server, which restarts.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";

import { createClient, HandoffError, type Client, type HandoffEvent } from "../dist/index.js";
import { serve, workspace, type Served } from "./server.js";

const values = { slug: "parser", phase: 1, draft: true, next_action: "Run `go test ./parse`." };

describe("handoffs", () => {
  const folder = workspace();
  let served: Served;
  let client: Client;
  before(async () => {
    served = await serve(folder);
    client = createClient({ baseUrl: served.url });
  });
  after(() => served.stop());

  test("create, once, and what is refused", async () => {
    const made = await client.handoffs.create(7, values, { idempotencyKey: "k" });
    assert.equal(made.ref, "7/1");
    assert.equal((await client.handoffs.create(7, values, { idempotencyKey: "k" })).path, made.path);
    assert.match(await client.handoffs.document("7/1"), /go test/);
    await assert.rejects(client.handoffs.create(7, { phase: 2, decisions: ["x"] }), (err) => {
      assert.ok(err instanceof HandoffError && err.status === 422);
      assert.ok(err.findings.some((f) => f.pointer === "/next_action" && f.severity === "error"), JSON.stringify(err.findings));
      return true;
    });
    const { document } = await client.handoffs.create(7, { ...values, dry_run: true });
    assert.match(document ?? "", /Immediate Next Action/);
  });

  test("a life", async () => {
    assert.equal((await client.handoffs.next({ task: 7 })).next?.ref, "7/1");
    const { claimed } = await client.handoffs.claimNext({ as: "codex", task: 7 });
    const claim = claimed.claim!;
    await assert.rejects(client.handoffs.claim("7/1", { as: "other" }), (err) => {
      assert.ok(err instanceof HandoffError && err.status === 409 && err.type === "urn:handoff:held", String(err));
      assert.equal(err.problem.holder, "codex");
      assert.ok(err.problem.until && err.problem.token === 1 && err.retryAfter! > 0, JSON.stringify(err.problem));
      return true;
    });
    await client.handoffs.ack("7/1", { claim });
    await client.handoffs.renew("7/1", { claim, ttl_seconds: 60 });
    assert.equal((await client.handoffs.release("7/1", { claim, why: "later" })).state, "released");
    const again = await client.handoffs.claim("7/1", { as: "codex" }, { idempotencyKey: "c" });
    assert.equal((await client.handoffs.claim("7/1", { as: "codex" }, { idempotencyKey: "c" })).claim, again.claim);
    await assert.rejects(client.handoffs.claim("7/1", { as: "other" }, { idempotencyKey: "c" }), (err) => err instanceof HandoffError && err.type === "urn:handoff:key-reused");
    assert.equal((await client.handoffs.done("7/1", { claim: again.claim! })).state, "done");
    const steps = (await client.handoffs.receipts("7/1")).steps.map((s) => s.step);
    assert.deepEqual(steps, ["claimed", "acknowledged", "renewed", "released", "claimed", "done"]);
  });

  test("events, each once, while the server restarts", async () => {
    const port = new URL(served.url).port;
    const got: HandoffEvent[] = [];
    const by = (path: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), "# Phase 1 Handoff\n");
    };
    const signal = AbortSignal.timeout(240_000);
    for await (const event of client.handoffs.events({ task: 7, signal, firstDelay: 10, longestDelay: 100 })) {
      got.push(event);
      if (event.type === "done") {
        await served.stop("SIGKILL");
        by("specs/7_parser/handoffs/phase-2-handoff-20260212T143022Z.md"); // while no server runs
        served = await serve(folder, "--listen", `127.0.0.1:${port}`);
      }
      if (event.phase === "2") by("specs/7_parser/handoffs/phase-3-handoff-20260212T153022Z.md");
      if (event.phase === "3") break;
    }
    const types = got.map((e) => e.type).join(" ");
    assert.match(types, /^written linked claimed acknowledged renewed released claimed done written written$/);
    assert.equal(new Set(got.map((e) => e.seq)).size, got.length);
    const only: string[] = [];
    for await (const event of client.handoffs.events({ type: ["released", "done"], signal })) {
      only.push(event.type);
      if (event.type === "done") break;
    }
    assert.deepEqual(only, ["released", "done"]);
  });
});
