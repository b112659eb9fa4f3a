import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { createClient } from "@handoff/client";
import { localToken } from "@handoff/client/local";
import { serve, workspace } from "./server.js";

test("localToken finds the token of a server on loopback", async () => {
  const folder = workspace();
  process.env["XDG_STATE_HOME"] = join(folder, "state");
  const servers = join(folder, "state", "handoff", "servers");
  mkdirSync(servers, { recursive: true });
  writeFileSync(join(servers, "127.0.0.1_7341"), "0123456789abcdef\n");
  writeFileSync(join(servers, "--1_7342"), "fedcba9876543210\n");
  assert.equal(await localToken("http://127.0.0.1:7341"), "0123456789abcdef");
  assert.equal(await localToken("http://localhost:7341/"), "0123456789abcdef");
  assert.equal(await localToken("http://[::1]:7342"), "fedcba9876543210");
  for (const other of ["http://127.0.0.1:7343", "https://127.0.0.1:7341", "http://192.0.2.7:7341"]) assert.equal(await localToken(other), "");
});

test("a client signs in to a server of the same user", async () => {
  const folder = workspace();
  process.env["XDG_STATE_HOME"] = join(folder, "state");
  const own = await serve(folder, "--token");
  const client = createClient({ baseUrl: own.url, token: () => localToken(own.url) });
  assert.ok((await client.tasks.list()).length > 0);
  await own.stop();
});
