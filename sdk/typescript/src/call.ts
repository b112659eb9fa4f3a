import type { operations } from "./schema.js";

/** How one request is sent: the last argument of each method. What is left out is that of `createClient`. */
export interface CallOptions {
  /** Ends the request, and its retries, with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * Milliseconds that an attempt may take, with its body; 0 for no limit. Default: 60,000, and none for artifacts. Then the
   * error is a DOMException named TimeoutError.
   */
  timeout?: number | undefined;
  /**
   * How often a request is sent again if there is no answer, or 408, 425, 429, 502, 503 or 504: after a random delay, not
   * before the server's Retry-After. Only what may be done twice is: reading, storing artifacts, and requests with an
   * idempotency key; those that accept one get one. Default: 0.
   */
  retries?: number | undefined;
}

/** Options of a request that creates something. */
export interface CreateOptions extends CallOptions {
  /**
   * Makes it safe to repeat the request, for example after a timeout: the server
   * answers with the result of the first one and creates nothing twice.
   */
  idempotencyKey?: string | undefined;
}

/** The query parameters of an operation. */
export type Query<Operation extends keyof operations> = NonNullable<operations[Operation]["parameters"]["query"]>;

/** The body of an operation. */
export type Body<Operation extends keyof operations> = NonNullable<operations[Operation]["requestBody"]> extends { content: { "application/json": infer B } } ? B : never;

/** Temporary HTTP statuses: the request is retried. */
export const temporary = new Set([408, 425, 429, 502, 503, 504]);

/** The header with the key of a request. What may be sent again needs one. */
export const key = ({ idempotencyKey, retries }: CreateOptions) => {
  const value = idempotencyKey ?? (retries ? crypto.randomUUID() : undefined);
  return { header: value === undefined ? {} : { "Idempotency-Key": value } };
};

/** Passes options through openapi-fetch, which copies what it does not know to the request. */
export const how = (call: CallOptions): { call: CallOptions } => ({ call });

/** A stream ends when its reader wants it, and bytes may take long: both have no time limit of their own. */
export const patient = (call: CallOptions = {}) => how({ timeout: 0, ...known(call) });

type Send = (request: Request) => Promise<Response>;

const keepsMethods = new Set(["GET", "HEAD", "PUT"]);

/** Sends requests with a time limit, a signal and retries. */
export function sender(send: Send, defaults: CallOptions): Send {
  return async (request: Request & { call?: CallOptions }) => {
    const { signal, timeout = 60_000, retries = 0 } = { ...known(defaults), ...known(request.call ?? {}) };
    const safe = keepsMethods.has(request.method) || request.headers.has("Idempotency-Key");
    const ends = [request.signal, ...(signal ? [signal] : [])];
    for (let left = safe ? retries : 0; ; left--) {
      const limits = timeout > 0 ? [...ends, AbortSignal.timeout(timeout)] : ends;
      let wait = Math.random() * Math.min(30_000, 250 * 2 ** (retries - left));
      try {
        const response = await send(new Request(left > 0 ? request.clone() : request, { signal: AbortSignal.any(limits) }));
        if (left <= 0 || !temporary.has(response.status)) return response;
        await response.body?.cancel();
        wait = Math.max(wait, 1000 * (Number(response.headers.get("Retry-After")) || 0));
      } catch (err) {
        if (left <= 0 || ends.some((end) => end.aborted)) throw err;
      }
      await pause(wait, AbortSignal.any(ends));
    }
  };
}

/** Waits; it throws the signal's reason if that comes first. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => (clearTimeout(timer), reject(signal.reason));
    const timer = setTimeout(() => (signal.removeEventListener("abort", stop), resolve()), ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

/** The members of an object that are not undefined. */
export function known<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
