// Reading a stream of numbered frames to the end of time: over lost
// connections, servers that restart and networks that fall silent, with each
// frame given once and none left out.

import { HandoffError } from "./errors.js";
import { EventParser, type ServerSentEvent } from "./sse.js";

/** What waits. Tests have one of their own. */
export interface Clock {
  /** Milliseconds since any moment. */
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

export interface EventsOptions {
  /** The number of the first frame to give; 0. */
  fromSeq?: number | undefined;
  /** Ends the iteration, without an error. */
  signal?: AbortSignal | undefined;
  /** Milliseconds without a byte after which a connection counts as lost; 45,000: the server says something every 15 s. */
  keepAlive?: number | undefined;
  /** Most milliseconds before the first attempt to connect again; 250. Each further one may take twice as long. */
  firstDelay?: number | undefined;
  /** Most milliseconds before any attempt; 30,000. */
  longestDelay?: number | undefined;
  /** How many attempts in a row may fail; Infinity. */
  attempts?: number | undefined;
  /** Is told of each lost connection, and of the milliseconds until the next attempt. */
  onLost?: ((why: Error, delay: number) => void) | undefined;
  /** What waits; the timers of the platform. */
  clock?: Clock | undefined;
  /** A number from 0 to below 1, which spreads the attempts of many clients; Math.random. */
  random?: (() => number) | undefined;
}

/** Where a stream is to begin. */
export interface Position {
  /** The number of the first frame. */
  fromSeq: number;
  /** The `id:` of the last frame that came; undefined when none had one. */
  lastEventId: string | undefined;
}

/** Asks for a stream. It throws when there is none. */
export type Open = (from: Position, signal: AbortSignal) => Promise<Response>;

const platform: Clock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Says that a connection broke: what was received is good, more may come. */
class LostError extends Error {
  override name = "LostError";
}

/** Statuses that pass by themselves. */
const passing = new Set([408, 425, 429, 502, 503, 504]);

/** How often a frame may be missing at the same place. */
const mostGaps = 5;

/**
 * Gives the frames of a stream by their number, beginning with `fromSeq`.
 *
 * The first connection must succeed: what is wrong with it is thrown. A later
 * one that is lost, or refused with a status that passes, is made again, from
 * the frame behind the last. Frames that come twice are passed over; where one
 * is missing the stream is asked for again from there.
 */
export async function* resume<F extends { seq: number }>(open: Open, options: EventsOptions = {}): AsyncGenerator<F, void, undefined> {
  let gaps = 0;
  yield* listen<F>(open, { fromSeq: options.fromSeq ?? 0, lastEventId: undefined }, options, (event, at) => {
    const frame = parse<F>(event);
    if (frame.seq < at.fromSeq) return undefined;
    if (frame.seq > at.fromSeq) throw missing(at.fromSeq, frame.seq, ++gaps);
    at.fromSeq = frame.seq + 1;
    at.lastEventId = event.id || undefined;
    gaps = 0;
    return frame;
  });
}

/**
 * Listens to a stream over all its connections. `take` makes of an event what
 * is given, or nothing, and notes in the position how far that is.
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
      const lost = err instanceof LostError || (err instanceof HandoffError && passing.has(err.status));
      if (!lost || !connected) throw err instanceof LostError ? (err.cause ?? err) : err;
      why = err;
    }
    if (signal?.aborted) return;
    if (clock.now() - begun > longestDelay) failures = 0; // it held, though nothing happened
    if (++failures > attempts) throw new Error(`${attempts} attempts to connect again failed`, { cause: why });
    const delay = random() * Math.min(longestDelay, firstDelay * 2 ** (failures - 1));
    const pause = Math.max(delay, (why instanceof HandoffError && why.retryAfter) || 0);
    options.onLost?.(why, pause);
    await sleep(pause, clock, signal);
  }
}

/** The events of one connection, as they come. The first batch is empty: it says that there is a stream. */
async function* receive(
  open: (signal: AbortSignal) => Promise<Response>,
  keepAlive: number,
  clock: Clock,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerSentEvent[], void, undefined> {
  const line = new AbortController();
  const stop = () => line.abort(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  /** Waits for the network, but no longer than the server may be silent. Time that the caller takes does not count. */
  const heard = async <T>(what: Promise<T>): Promise<T> => {
    const timer = clock.setTimeout(() => line.abort(new LostError(`nothing came for ${keepAlive} ms`)), keepAlive);
    try {
      return await what;
    } catch (err) {
      throw err instanceof HandoffError || err instanceof LostError ? err : new LostError("the connection is lost", { cause: err });
    } finally {
      clock.clearTimeout(timer);
    }
  };
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const hangUp = () => void reader?.cancel().catch(() => {}); // a read that waits ends
  line.signal.addEventListener("abort", hangUp, { once: true });
  try {
    const response = await heard(open(line.signal));
    reader = streamOf(response).getReader();
    line.signal.throwIfAborted(); // by an `open` that does not heed it
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
    throw new Error(`want a stream of events, not ${media || "nothing"}: is this a handoff server?`);
  }
  return response.body;
}

function parse<F extends { seq: number }>(event: ServerSentEvent): F {
  const frame = JSON.parse(event.data) as F;
  if (!Number.isSafeInteger(frame?.seq)) throw new Error("a frame has no number");
  return frame;
}

function missing(want: number, got: number, times: number): Error {
  const text = `frame ${want} is missing: ${got} came`;
  return times < mostGaps ? new LostError(text) : new Error(`${text}, ${times} times`);
}

/** Waits, at most until the signal. */
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
