import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { Clock } from "../dist/index.js";

export interface Frame {
  seq: number;
  text: string;
}

/** Random numbers that are the same each time (mulberry32). */
export function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A server for one test. */
export async function serving(handle: (req: IncomingMessage, res: ServerResponse) => void): Promise<{ url: string; close(): void }> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A clock that waits for nothing longer than a moment; it remembers how long it should have waited. */
export function hasty(longest = Infinity): Clock & { waited: number[] } {
  const waited: number[] = [];
  return {
    waited,
    now: () => Date.now(),
    setTimeout: (run, ms) => {
      waited.push(ms);
      return ms > longest ? undefined : setImmediate(run);
    },
    clearTimeout: (timer) => clearImmediate(timer as NodeJS.Immediate),
  };
}

/** A request for a stream with resume, as the server reads it. */
export function firstOf(req: IncomingMessage): number {
  const last = req.headers["last-event-id"];
  if (last !== undefined) return Number(last) + 1;
  return Number(new URL(req.url ?? "/", "http://localhost").searchParams.get("from_seq") ?? 0);
}

export const frameText = (frame: Frame): string => `id: ${frame.seq}\ndata: ${JSON.stringify(frame)}\n\n`;
