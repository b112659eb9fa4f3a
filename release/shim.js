#!/usr/bin/env node
// Starts the handoff binary of this system with the same arguments and standard
// streams, and ends as it ends. HANDOFF_BINARY names another binary.
"use strict";
const { spawn } = require("node:child_process");
const { name } = require("../package.json");

function binary() {
  if (process.env.HANDOFF_BINARY) return process.env.HANDOFF_BINARY;
  const file = process.platform === "win32" ? "handoff.exe" : "handoff";
  try {
    return require.resolve(`${name}-${process.platform}-${process.arch}/bin/${file}`);
  } catch {
    console.error(`handoff: no binary for ${process.platform} ${process.arch} is installed: install without --omit=optional, or set HANDOFF_BINARY`);
    process.exit(2);
  }
}

const child = spawn(binary(), process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (err) => {
  console.error(`handoff: ${err.message}`);
  process.exit(2);
});
child.on("exit", (status, signal) => {
  if (signal === null) process.exit(status);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
