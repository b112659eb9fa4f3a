import type { Client as Api } from "openapi-fetch";

import { accepted, answer } from "./errors.js";
import { resume, type EventsOptions, type Open } from "./events.js";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];

/** A frame of a thread; its `type` says which. A server that is newer than this package may send others. */
export type ThreadFrame = Schemas["ThreadFrame"];

/** A frame of a run; its `type` says which. */
export type SessionFrame = Schemas["SessionFrame"];

/** Of a request that makes something. */
export interface Making {
  /**
   * Makes the request safe to be sent again, as after a timeout: what the
   * first one made is answered, and nothing is made twice.
   */
  idempotencyKey?: string;
}

export const key = ({ idempotencyKey }: Making) => ({
  header: idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey },
});

const at = (id: string) => ({ params: { path: { id } } });

const from = (position: Parameters<Open>[0]) => ({
  query: { from_seq: position.fromSeq },
  header: position.lastEventId === undefined ? {} : { "Last-Event-ID": position.lastEventId as unknown as number }, // as it came
});

export function threads(api: Api<paths>) {
  return {
    /** The default thread, which is made if there is none. */
    ensure: () => answer(api.POST("/threads/ensure")),
    /** Begins a thread. */
    create: (body: { title?: string | null } = {}, making: Making = {}) =>
      answer(api.POST("/threads", { params: key(making), body })),
    /** All threads. */
    list: () => answer(api.GET("/threads")),
    /** What is known of a thread. */
    get: (id: string) => answer(api.GET("/threads/{id}", at(id))),
    /** The tree that a thread stands in. */
    lineage: (id: string) => answer(api.GET("/threads/{id}/lineage", at(id))),
    /** Appends a message and starts a run for it, whose frames `sessions.events` gives. Sent twice, it is there twice. */
    post: (id: string, message: string | Schemas["MessageBody"]) =>
      answer(api.POST("/threads/{id}/messages", { ...at(id), body: typeof message === "string" ? { content: message } : message })),
    /** A thread that inherits all up to a cut: behind a message, an event, or the end. */
    branch: (id: string, body: Schemas["BranchRequest"] = {}, making: Making = {}) =>
      answer(api.POST("/threads/{id}/branch", { params: { path: { id }, ...key(making) }, body })),
    /** A thread that starts from a summary, of which the server makes a bundle. */
    handoff: (id: string, body: Schemas["HandoffRequest"], making: Making = {}) =>
      answer(api.POST("/threads/{id}/handoff", { params: { path: { id }, ...key(making) }, body })),
    /** The frames of a thread, those that are there and those to come: see {@link resume}. */
    events: (id: string, options: EventsOptions = {}) =>
      resume<ThreadFrame>(
        async (position, signal) => {
          const params = { path: { id }, ...from(position) };
          return (await accepted(api.GET("/threads/{id}/events", { params, parseAs: "stream", cache: "no-store", signal }))).response;
        },
        options,
      ),
  };
}

/** Runs. */
export function sessions(api: Api<paths>) {
  const follow = (id: string, options: EventsOptions) =>
    resume<SessionFrame>(
      async (position, signal) => {
        const params = { path: { id }, ...from(position) };
        return (await accepted(api.GET("/sessions/{id}/events", { params, parseAs: "stream", cache: "no-store", signal }))).response;
      },
      options,
    );
  return {
    /** The frames of a run, to its end. */
    async *events(id: string, options: EventsOptions = {}): AsyncGenerator<SessionFrame, void, undefined> {
      for await (const frame of follow(id, options)) {
        yield frame;
        if (frame.type === "session_ended") return;
      }
    },
    /** Ends a run. */
    cancel: (id: string) => answer<unknown>(api.POST("/sessions/{id}/cancel", at(id))).then(() => {}),
  };
}
