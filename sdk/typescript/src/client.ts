import createApi, { type Client as Api } from "openapi-fetch";

import { artifacts } from "./artifacts.js";
import { answer } from "./errors.js";
import type { operations, paths } from "./schema.js";
import { tapes } from "./tapes.js";
import { sessions, threads } from "./threads.js";

export interface ClientOptions {
  /** Where the server is: what `handoff serve` prints, as http://127.0.0.1:7341. In a page, "" or its own origin. */
  baseUrl: string;
  /** The token of the server, or what gives it for each request. Servers on loopback mostly want none. */
  token?: string | (() => string | Promise<string>) | undefined;
  /** What sends requests; the platform's fetch. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** The query of an operation. */
export type Query<Operation extends keyof operations> = NonNullable<operations[Operation]["parameters"]["query"]>;

/** A client of one server. It holds no connection and need not be closed. */
export type Client = ReturnType<typeof createClient>;

/** Makes a client. Nothing is sent yet. */
export function createClient({ baseUrl, token, fetch }: ClientOptions) {
  // A redirect would carry a token elsewhere, and the server sends none.
  const api = createApi<paths>({ baseUrl, redirect: "error", ...(fetch && { fetch }) });
  if (token !== undefined) {
    api.use({
      async onRequest({ request }) {
        request.headers.set("Authorization", `Bearer ${typeof token === "function" ? await token() : token}`);
        return request;
      },
    });
  }
  return {
    /** Every path of the server, as openapi-fetch has it: a status is no exception there. See {@link answer}. */
    api,
    artifacts: artifacts(api),
    threads: threads(api),
    sessions: sessions(api),
    tapes: tapes(api),
    handoffs: handoffs(api),
    tasks: {
      /** All tasks. */
      list: () => answer(api.GET("/specs")),
      /** A task: its metadata and its handoffs. */
      get: (n: number) => answer(api.GET("/specs/{n}", { params: { path: { n } } })),
    },
    /** What `handoff lint` finds. */
    findings: (query: Query<"finding_list"> = {}) => answer(api.GET("/findings", { params: { query } })),
    /** Whether the server answers. */
    health: () => answer(api.GET("/healthz")),
  };
}

/** Handoffs are named as on the command line: 259/3, 259, latest, or a path. */
function handoffs(api: Api<paths>) {
  const at = (ref: string) => ({ params: { path: { ref } } });
  return {
    /** Handoffs, the newest first. */
    list: (query: Query<"handoff_list"> = {}) => answer(api.GET("/handoffs", { params: { query } })),
    /** What a handoff is about. */
    get: (ref: string) => answer(api.GET("/handoffs/{ref}", at(ref))),
    /** The document as it is written. */
    document: (ref: string) => answer<string>(api.GET("/handoffs/{ref}/document", { ...at(ref), parseAs: "text" })),
    /** What a successor is told, in levels from 1 to 3. */
    brief: (ref: string, query: Query<"handoff_brief"> = {}) =>
      answer<string>(api.GET("/handoffs/{ref}/brief", { params: { path: { ref }, query }, parseAs: "text" })),
  };
}
