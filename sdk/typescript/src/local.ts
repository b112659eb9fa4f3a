/// <reference types="node" />
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** The token of a `handoff serve` that you run on loopback; "" if none has published one at that address. */
export async function localToken(baseUrl: string): Promise<string> {
  const { protocol, hostname, port } = new URL(baseUrl);
  if (protocol !== "http:" || port === "") return "";
  const hosts = hostname === "localhost" ? ["127.0.0.1", "::1"] : [hostname.replace(/^\[|\]$/g, "")];
  for (const host of hosts.filter((host) => host === "::1" || /^127(\.\d+){3}$/.test(host))) {
    try {
      return (await readFile(join(state(), "handoff", "servers", `${host.replaceAll(":", "-")}_${port}`), "utf8")).trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return "";
}

function state(): string {
  const { XDG_STATE_HOME: xdg, LOCALAPPDATA: windows } = process.env;
  if (xdg && isAbsolute(xdg)) return xdg;
  return process.platform === "win32" && windows ? windows : join(homedir(), ".local", "state");
}
