// The code in the README is compiled and run, and prints the output in the README.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import ts from "typescript";

import { serve, workspace } from "./server.js";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

test("the README's example", async () => {
  const readme = readFileSync(here("../README.md"), "utf8");
  const blocks = (language: string) => [...readme.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].filter((m) => m[1] === language).map((m) => m[2]!);
  const [source, want] = [blocks("ts").join("\n"), blocks("").join("")];
  assert.ok(source.includes("http://127.0.0.1:7341") && want !== "");

  const served = await serve(workspace());
  try {
    writeFileSync(here("readme.ts"), source.replace("http://127.0.0.1:7341", served.url));
    const config = ts.readConfigFile(here("../test/tsconfig.json"), ts.sys.readFile).config;
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, here("../test"));
    const program = ts.createProgram([here("readme.ts")], { ...options, rootDir: here("."), outDir: here(".") });
    const found = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
    assert.equal(ts.formatDiagnostics(found, { getCurrentDirectory: ts.sys.getCurrentDirectory, getCanonicalFileName: String, getNewLine: () => "\n" }), "");
    const { stdout } = await promisify(execFile)(process.execPath, [here("readme.js")], { timeout: 20_000 });
    assert.equal(stdout, want);
  } finally {
    await served.stop();
  }
});
