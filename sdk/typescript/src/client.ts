import createApi from "openapi-fetch";

import { artifacts } from "./artifacts.js";
import { how, sender, type CallOptions, type Query } from "./call.js";
import { answer } from "./errors.js";
import { handoffs } from "./handoffs.js";
import type { paths } from "./schema.js";
import { tapes } from "./tapes.js";
import { sessions, threads } from "./threads.js";

export interface ClientOptions extends CallOptions {
  /** URL of the server, as `handoff serve` prints it: http://127.0.0.1:7341. In a web page, "" or the page's origin. */
  baseUrl: string;
  /** Token of the server, or a function that returns it for each request. In Node, `localToken` of "@handoff/client/local" finds that of your own server. */
  token?: string | (() => string | Promise<string>) | undefined;
  /** Sends requests. Default: the platform's fetch. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** A client of one server. It keeps no connection open and need not be closed. */
export type Client = ReturnType<typeof createClient>;

/** Creates a client. Nothing is sent yet. */
export function createClient({ baseUrl, token, fetch, ...defaults }: ClientOptions) {
  // A redirect could send the token to another host, and the server sends none.
  const send = sender(fetch ?? ((request) => globalThis.fetch(request)), defaults);
  const api = createApi<paths>({ baseUrl, redirect: "error", fetch: send });
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
      /** All tasks, or a part of the list. */
      list: (query: Query<"task_list"> = {}, options: CallOptions = {}) => answer(api.GET("/specs", { params: { query }, ...how(options) })),
      /** A task: its metadata and its handoffs. */
      get: (n: number, options: CallOptions = {}) => answer(api.GET("/specs/{n}", { params: { path: { n } }, ...how(options) })),
    },
    /** The findings of `handoff lint`. */
    findings: (query: Query<"finding_list"> = {}, options: CallOptions = {}) => answer(api.GET("/findings", { params: { query }, ...how(options) })),
    /** What each task is doing, and what needs a person first. */
    overview: (query: Query<"overview"> = {}, options: CallOptions = {}) => answer(api.GET("/overview", { params: { query }, ...how(options) })),
    /** What a short name of an artifact, a run, a tape or a thread means. */
    reference: (query: Query<"reference_find">, options: CallOptions = {}) => answer(api.GET("/references", { params: { query }, ...how(options) })),
    /** Metrics in Prometheus' text format. */
    metrics: (options: CallOptions = {}) => answer<string>(api.GET("/metrics", { parseAs: "text", ...how(options) })),
    /** The OpenAPI document of the server. */
    openapi: (options: CallOptions = {}) => answer(api.GET("/openapi.json", how(options))),
    /** Checks that the server answers. */
    health: (options: CallOptions = {}) => answer(api.GET("/healthz", how(options))),
  };
}
