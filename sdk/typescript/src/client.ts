import createApi from "openapi-fetch";

import { artifacts } from "./artifacts.js";
import { answer } from "./errors.js";
import { handoffs } from "./handoffs.js";
import type { operations, paths } from "./schema.js";
import { tapes } from "./tapes.js";
import { sessions, threads } from "./threads.js";

export interface ClientOptions {
  /** URL of the server, as `handoff serve` prints it: http://127.0.0.1:7341. In a web page, "" or the page's origin. */
  baseUrl: string;
  /** Token of the server, or a function that returns it for each request. In Node, `localToken` of "@handoff/client/local" finds that of your own server. */
  token?: string | (() => string | Promise<string>) | undefined;
  /** Sends requests. Default: the platform's fetch. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** The query parameters of an operation. */
export type Query<Operation extends keyof operations> = NonNullable<operations[Operation]["parameters"]["query"]>;

/** A client of one server. It keeps no connection open and need not be closed. */
export type Client = ReturnType<typeof createClient>;

/** Creates a client. Nothing is sent yet. */
export function createClient({ baseUrl, token, fetch }: ClientOptions) {
  // A redirect could send the token to another host, and the server sends none.
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
    /** Every path of the server, in the style of openapi-fetch: an HTTP error is returned, not thrown. See {@link answer}. */
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
    /** The findings of `handoff lint`. */
    findings: (query: Query<"finding_list"> = {}) => answer(api.GET("/findings", { params: { query } })),
    /** Checks that the server answers. */
    health: () => answer(api.GET("/healthz")),
  };
}
