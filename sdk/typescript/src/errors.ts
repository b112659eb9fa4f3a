import type { components } from "./schema.js";

/** The body of an error, as RFC 9457 has it. */
export type Problem = components["schemas"]["Problem"];

/**
 * The server refused a request, or could not serve it. That no server could be
 * reached is no HandoffError but what `fetch` throws, mostly a TypeError.
 */
export class HandoffError extends Error {
  override name = "HandoffError";
  /** The HTTP status. */
  readonly status: number;
  /** The status in words. */
  readonly title: string;
  /** What is wrong, in words that hold no part of the request, but for what a tape was asked for in vain; "" when nobody says. */
  readonly detail: string;
  /** When to try again, in milliseconds from the answer, where the server says so. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, problem?: Partial<Problem>) {
    const title = problem?.title || response.statusText || `status ${response.status}`;
    const detail = problem?.detail ?? "";
    super(`${response.status} ${title}${detail && `: ${detail}`}`);
    this.status = response.status;
    this.title = title;
    this.detail = detail;
    const seconds = Number(response.headers.get("Retry-After") ?? NaN); // a date is passed over
    this.retryAfter = seconds >= 0 ? seconds * 1000 : undefined;
  }
}

/** The problem in what was read from an answer, if it is one. */
function problemIn(response: Response, body: unknown): Partial<Problem> | undefined {
  const media = response.headers.get("Content-Type") ?? "";
  if (!/^application\/problem\+json\b/i.test(media)) return undefined; // of a proxy, or another server
  if (typeof body !== "object" || body === null) return undefined;
  const { title, detail } = body as Record<string, unknown>;
  return {
    ...(typeof title === "string" && { title }),
    ...(typeof detail === "string" && { detail }),
  };
}

/** What a call of the generated paths comes to. */
interface Result<T> {
  data?: T | undefined;
  error?: unknown;
  response: Response;
}

/**
 * The data of a call of `client.api`, or a {@link HandoffError}:
 *
 *     const tasks = await answer(client.api.GET("/specs"));
 */
export async function answer<T>(call: Promise<Result<T>>): Promise<T> {
  return (await accepted(call)).data as T;
}

/** A call that the server did not refuse. */
export async function accepted<T>(call: Promise<Result<T>>): Promise<Result<T>> {
  const result = await call;
  if (!result.response.ok) throw new HandoffError(result.response, problemIn(result.response, result.error));
  return result;
}
