// Reads a stream of numbered frames for as long as the caller wants. It
// reconnects when a connection is lost, a server restarts or a network falls
// silent, and yields each frame exactly once.

import { temporary } from "./call.js";
import { HandoffError } from "./errors.js";
import { EventParser, type ServerSentEvent } from "./sse.js";

/** Time and timers. Tests pass their own. */
export interface Clock {
  /** Milliseconds since some fixed moment. */
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

export interface EventsOptions {
  /** Number of the first frame to yield. Default: 0. */
  fromSeq?: number | undefined;
  /** Ends the iteration without an error. */
  signal?: AbortSignal | undefined;
  /** Milliseconds without a byte after which a connection counts as lost. Default: 45,000; the server sends something every 15 s. */
  keepAlive?: number | undefined;
  /** Upper limit of the delay before the first reconnect, in milliseconds. Default: 250. It doubles with each further attempt. */
  firstDelay?: number | undefined;
  /** Upper limit of any delay, in milliseconds. Default: 30,000. */
  longestDelay?: number | undefined;
  /** How many attempts in a row may fail. Default: Infinity. */
  attempts?: number | undefined;
  /** Called for each lost connection, with the milliseconds until the next attempt. */
  onLost?: ((why: Error, delay: number) => void) | undefined;
  /** Time and timers. Default: the platform's. */
  clock?: Clock | undefined;
  /** Returns a number from 0 to below 1; it spreads the reconnects of many clients. Default: Math.random. */
  random?: (() => number) | undefined;
}

/** Where a stream begins. */
export interface Position {
  /** The number of the first frame. */
  fromSeq: number;
  /** The `id:` of the last frame received; undefined if it had none. */
  lastEventId: string | undefined;
}

/** Requests a stream. It throws if the server refuses. */
export type Open = (from: Position, signal: AbortSignal) => Promise<Response>;

const platform: Clock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** A connection broke: what was received is valid, and more may follow. */
class LostError extends Error {
  override name = "LostError";
}

/** How often in a row a frame may be missing before the stream fails. */
const mostGaps = 5;

/**
 * Yields the frames of a stream in order, starting with number `fromSeq`.
 *
 * The first connection must succeed; its error is thrown. A later connection
 * that is lost, or refused with a temporary status, is retried from the frame
 * after the last one. Duplicates are dropped. If a frame is missing, the stream
 * is requested again from there.
 */
export async function* resume<F extends { seq: number }>(
  open: Open,
  options: EventsOptions = {},
  numberOf: (frame: F, event: ServerSentEvent) => number = (frame) => frame.seq,
): AsyncGenerator<F, void, undefined> {
  let gaps = 0;
  yield* listen<F>(open, { fromSeq: options.fromSeq ?? 0, lastEventId: undefined }, options, (event, at) => {
    const frame = parse<F>(event);
    const number = numberOf(frame, event);
    if (number < at.fromSeq) return undefined;
    if (number > at.fromSeq) throw missing(at.fromSeq, number, ++gaps);
    at.fromSeq = number + 1;
    at.lastEventId = event.id || undefined;
    gaps = 0;
    return frame;
  });
}

/**
 * Yields what `take` returns for each event of a stream, over all its
 * connections; undefined is skipped. `take` also advances the position from
 * which a reconnect continues.
 */
export async function* listen<T>(
  open: Open,
  at: Position,
  options: EventsOptions,
  take: (event: ServerSentEvent, at: Position) => T | undefined,
): AsyncGenerator<T, void, undefined> {
  const { signal, clock = platform, random = Math.random, attempts = Infinity } = options;
  const { firstDelay = 250, longestDelay = 30_000, keepAlive = 45_000 } = options;
  let connected = false;
  let failures = 0;
  while (!signal?.aborted) {
    const begun = clock.now();
    let why: Error = new LostError("the stream ended");
    try {
      for await (const events of receive((s) => open({ ...at }, s), keepAlive, clock, signal)) {
        connected = true;
        for (const event of events) {
          const taken = take(event, at);
          if (taken === undefined) continue;
          failures = 0;
          yield taken;
          if (signal?.aborted) return;
        }
      }
    } catch (err) {
      if (signal?.aborted) return;
      const lost = err instanceof LostError || (err instanceof HandoffError && temporary.has(err.status));
      if (!lost || !connected) throw err instanceof LostError ? (err.cause ?? err) : err;
      why = err;
    }
    if (signal?.aborted) return;
    if (clock.now() - begun > longestDelay) failures = 0; // the connection lasted, though nothing arrived
    if (++failures > attempts) throw new Error(`${attempts} attempts to reconnect failed`, { cause: why });
    const delay = random() * Math.min(longestDelay, firstDelay * 2 ** (failures - 1));
    const pause = Math.max(delay, (why instanceof HandoffError && why.retryAfter) || 0);
    options.onLost?.(why, pause);
    await sleep(pause, clock, signal);
  }
}

/** The events of one connection, as they arrive. The first batch is empty: it reports that the connection succeeded. */
async function* receive(
  open: (signal: AbortSignal) => Promise<Response>,
  keepAlive: number,
  clock: Clock,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerSentEvent[], void, undefined> {
  const line = new AbortController();
  const stop = () => line.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  /** Waits for the network, at most `keepAlive` ms. Time that the caller spends on an event does not count. */
  const heard = async <T>(what: Promise<T>): Promise<T> => {
    const timer = clock.setTimeout(() => line.abort(new LostError(`nothing arrived for ${keepAlive} ms`)), keepAlive);
    try {
      return await what;
    } catch (err) {
      throw err instanceof HandoffError || err instanceof LostError ? err : new LostError("the connection is lost", { cause: err });
    } finally {
      clock.clearTimeout(timer);
    }
  };
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const hangUp = () => void reader?.cancel().catch(() => {}); // ends a pending read
  line.signal.addEventListener("abort", hangUp, { once: true });
  try {
    const response = await heard(open(line.signal));
    reader = streamOf(response).getReader();
    line.signal.throwIfAborted(); // if `open` ignored its signal
    yield [];
    const parser = new EventParser();
    for (;;) {
      const { done, value } = await heard(reader.read());
      if (line.signal.aborted) throw line.signal.reason;
      if (done) return;
      const events = parser.push(value);
      if (events.length > 0) yield events;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    line.abort();
    hangUp();
  }
}

function streamOf(response: Response): ReadableStream<Uint8Array> {
  const media = response.headers.get("Content-Type") ?? "";
  if (!/^text\/event-stream\b/i.test(media) || !response.body) {
    throw new Error(`expected an event stream, got ${media || "no content type"}: is this a handoff server?`);
  }
  return response.body;
}

function parse<F extends { seq: number }>(event: ServerSentEvent): F {
  const frame = JSON.parse(event.data) as F;
  if (!Number.isSafeInteger(frame?.seq)) throw new Error("a frame has no seq number");
  return frame;
}

function missing(want: number, got: number, times: number): Error {
  const text = `frame ${want} is missing: got ${got}`;
  return times < mostGaps ? new LostError(text) : new Error(`${text}, ${times} times`);
}

/** Waits until the time is up or the signal is aborted. */
function sleep(ms: number, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clock.clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
    if (signal?.aborted) done();
  });
}
