// What the real server never does, but a proxy in front of it may.

import assert from "node:assert/strict";
import { test } from "node:test";

import { createClient, HandoffError } from "../dist/index.js";

const id = "a".repeat(64);

/** A client whose requests are all answered like this. */
const answered = (body: string | null, init: ResponseInit) =>
  createClient({ baseUrl: "http://localhost", fetch: async () => new Response(body, init) });

test("errors that are no problem details", async () => {
  const page = answered("<html>secret</html>", { status: 502, statusText: "Bad Gateway", headers: { "Content-Type": "text/html", "Retry-After": "3" } });
  await assert.rejects(page.health(), { name: "HandoffError", message: "502 Bad Gateway", status: 502, detail: "", retryAfter: 3000 });
  const nothing = answered(null, { status: 503, headers: { "Retry-After": "Fri, 31 Dec 1999 23:59:59 GMT" } });
  await assert.rejects(nothing.artifacts.get(id), { message: "503 status 503", retryAfter: undefined });
  for (const body of ["{", "[]", "null", '{"title":1,"detail":{}}', ""]) {
    const broken = answered(body, { status: 500, statusText: "Oops", headers: { "Content-Type": "application/problem+json" } });
    await assert.rejects(broken.tasks.list(), { message: "500 Oops" });
  }
});

test("problem details", async () => {
  const body = JSON.stringify({ type: "about:blank", title: "Not Found", status: 404, detail: "no such task" });
  const client = answered(body, { status: 404, headers: { "Content-Type": "application/problem+json; charset=utf-8" } });
  const err = await client.tasks.get(1).catch((err: unknown) => err);
  assert.ok(err instanceof HandoffError && err instanceof Error);
  assert.equal(err.message, "404 Not Found: no such task");
  assert.match(err.stack ?? "", /HandoffError/);
});

test("a proxy that knows no ranges", async () => {
  const client = answered("0123456789", { status: 200 });
  const part = async (range: Parameters<typeof client.artifacts.get>[1]) => new TextDecoder().decode(await client.artifacts.get(id, range));
  assert.equal(await part({ start: 2, end: 5 }), "234");
  assert.equal(await part({ start: 7 }), "789");
  assert.equal(await part({ last: 3 }), "789");
});

test("a token goes nowhere but to the server", async () => {
  const sent: Request[] = [];
  const client = createClient({
    baseUrl: "http://localhost:1/below/",
    token: "secret",
    fetch: async (request) => (sent.push(request), Response.json([])),
  });
  await client.tasks.list();
  assert.equal(sent[0]?.url, "http://localhost:1/below/specs");
  assert.equal(sent[0]?.headers.get("Authorization"), "Bearer secret");
  assert.equal(sent[0]?.redirect, "error");
});

test("names with slashes stay one part of the path", async () => {
  const sent: string[] = [];
  const client = createClient({ baseUrl: "http://localhost", fetch: async ({ url }) => (sent.push(url), new Response("text")) });
  await client.handoffs.document("specs/259_x/handoffs/a b.md");
  assert.deepEqual(sent, ["http://localhost/handoffs/specs%2F259_x%2Fhandoffs%2Fa%20b.md/document"]);
});
