import type { components } from "./schema.js";

/** Problem details (RFC 9457): the body of an error. */
export type Problem = components["schemas"]["Problem"];

/** The types of problems that this version knows. */
export type ProblemType = components["schemas"]["KnownProblemType"];

/** A finding about a handoff that was not written, at its place in the request. */
export type NewFinding = components["schemas"]["NewFinding"];

/**
 * The server refused a request or failed. If no server could be reached, the
 * error is the one that `fetch` throws, usually a TypeError.
 */
export class HandoffError extends Error {
  override name = "HandoffError";
  /** The HTTP status. */
  readonly status: number;
  /**
   * What identifies the problem: `urn:handoff:held`, `urn:handoff:key-reused`, …; `about:blank` if the status says everything.
   * A newer server may have others.
   */
  readonly type: ProblemType | (string & {});
  /** The problem as the server sent it, with the members of its type: `holder`, `until`, `token`, `path`, …. */
  readonly problem: Partial<Problem>;
  /** What the type means, or the name of the status. */
  readonly title: string;
  /** What is wrong; "" if unknown. It never repeats the request, except the anchor, id or date of a failed tape query and the id of what does not exist. */
  readonly detail: string;
  /** Milliseconds to wait before a retry, if the server sent Retry-After. */
  readonly retryAfter: number | undefined;
  /** What to change in a new handoff that was refused (422); empty for other errors. */
  readonly findings: NewFinding[];

  constructor(response: Response, problem?: Partial<Problem> & { findings?: NewFinding[] }) {
    const title = problem?.title || response.statusText || `status ${response.status}`;
    const detail = problem?.detail ?? "";
    super(`${response.status} ${response.statusText || title}${detail && `: ${detail}`}`);
    this.status = response.status;
    this.type = problem?.type ?? "about:blank";
    this.problem = problem ?? {};
    this.title = title;
    this.detail = detail;
    this.findings = problem?.findings ?? [];
    const seconds = Number(response.headers.get("Retry-After") ?? NaN); // dates are ignored
    this.retryAfter = seconds >= 0 ? seconds * 1000 : undefined;
  }
}

/** The problem details of a response, if it has them. */
function problemIn(response: Response, body: unknown): (Partial<Problem> & { findings?: NewFinding[] }) | undefined {
  const media = response.headers.get("Content-Type") ?? "";
  if (!/^application\/problem\+json\b/i.test(media)) return undefined; // from a proxy, or another server
  if (typeof body !== "object" || body === null) return undefined;
  const { type, title, detail, findings, ...members } = body as Record<string, unknown>;
  return {
    ...(members as Partial<Problem>),
    ...(typeof type === "string" && { type }),
    ...(typeof title === "string" && { title }),
    ...(typeof detail === "string" && { detail }),
    ...(Array.isArray(findings) && { findings: findings as NewFinding[] }),
  };
}

/** The result of a call of the generated paths. */
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

/** Throws a {@link HandoffError} if the server refused the call. */
export async function accepted<T>(call: Promise<Result<T>>): Promise<Result<T>> {
  const result = await call;
  if (!result.response.ok) throw new HandoffError(result.response, problemIn(result.response, result.error));
  return result;
}
