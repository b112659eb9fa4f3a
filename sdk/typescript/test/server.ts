import { spawn, type ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const project = fileURLToPath(new URL("../../..", import.meta.url));

/** The handoff command of this checkout, which `npm test` builds. */
const handoff = fileURLToPath(new URL(process.platform === "win32" ? "handoff.exe" : "handoff", import.meta.url));

/** A copy of the project's example workspace; it is removed with the process. */
export function workspace(): string {
  const folder = mkdtempSync(join(tmpdir(), "handoff-sdk-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(project, "specs", "example"), folder, { recursive: true });
  return folder;
}

export interface Served {
  url: string;
  /** Ends the server: as one should, or with SIGKILL. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts `handoff serve` in a folder, on any port unless the arguments name one. Without "--token" it asks for none, unless the arguments name a file. */
export async function serve(folder: string, ...given: string[]): Promise<Served> {
  const open = !given.includes("--token-file") && !given.includes("--token");
  const args = [...given.filter((arg) => arg !== "--token"), ...(open ? ["--no-token"] : [])];
  const child = spawn(handoff, ["serve", "--listen", "127.0.0.1:0", ...args], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const url = await address(child);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  return {
    url,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await ended;
      process.removeListener("exit", kill);
    },
  };
}

/** The address that a server reports to listen on. */
function address(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`handoff serve ended with ${code}: ${said}`)));
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const found = /^handoff listening on (\S+)$/m.exec(said);
      if (found) resolve(found[1]!);
    });
  });
}
