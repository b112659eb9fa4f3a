import type { Client as Api } from "openapi-fetch";

import { accepted, answer } from "./errors.js";
import { resume, type EventsOptions, type Open } from "./events.js";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];

/** A frame of a thread; `type` distinguishes the kinds. A newer server may send kinds that this package does not know. */
export type ThreadFrame = Schemas["ThreadFrame"];

/** A frame of a run; `type` distinguishes the kinds. */
export type SessionFrame = Schemas["SessionFrame"];

/** Options of a request that creates something. */
export interface CreateOptions {
  /**
   * Makes it safe to repeat the request, for example after a timeout: the server
   * answers with the result of the first one and creates nothing twice.
   */
  idempotencyKey?: string;
}

export const key = ({ idempotencyKey }: CreateOptions) => ({
  header: idempotencyKey === undefined ? {} : { "Idempotency-Key": idempotencyKey },
});

const at = (id: string) => ({ params: { path: { id } } });

const from = (position: Parameters<Open>[0]) => ({
  query: { from_seq: position.fromSeq },
  header: position.lastEventId === undefined ? {} : { "Last-Event-ID": position.lastEventId as unknown as number }, // as received
});

export function threads(api: Api<paths>) {
  return {
    /** The default thread. It is created if it does not exist. */
    ensure: () => answer(api.POST("/threads/ensure")),
    /** Creates a thread. */
    create: (body: { title?: string | null } = {}, options: CreateOptions = {}) =>
      answer(api.POST("/threads", { params: key(options), body })),
    /** All threads. */
    list: () => answer(api.GET("/threads")),
    /** The properties of a thread. */
    get: (id: string) => answer(api.GET("/threads/{id}", at(id))),
    /** The tree of threads that a thread belongs to. */
    lineage: (id: string) => answer(api.GET("/threads/{id}/lineage", at(id))),
    /** Appends a message and starts a run for it; `sessions.events` yields its frames. A message that is sent twice is appended twice. */
    post: (id: string, message: string | Schemas["MessageBody"]) =>
      answer(api.POST("/threads/{id}/messages", { ...at(id), body: typeof message === "string" ? { content: message } : message })),
    /** Creates a thread that inherits everything up to a cut: a message, an event, or the end. */
    branch: (id: string, body: Schemas["BranchRequest"] = {}, options: CreateOptions = {}) =>
      answer(api.POST("/threads/{id}/branch", { params: { path: { id }, ...key(options) }, body })),
    /** Creates a thread that starts from a summary, which the server stores as a bundle. */
    handoff: (id: string, body: Schemas["ThreadHandoffRequest"], options: CreateOptions = {}) =>
      answer(api.POST("/threads/{id}/handoff", { params: { path: { id }, ...key(options) }, body })),
    /** Refers to another thread up to a cut; contexts with `refs` include it. */
    reference: (id: string, body: Schemas["ReferenceRequest"]) => answer(api.POST("/threads/{id}/references", { ...at(id), body })),
    /** Archives a thread. It can still be read and written. */
    archive: (id: string, body: Schemas["By"] = {}) => answer(api.POST("/threads/{id}/archive", { ...at(id), body })),
    /** Reverses `archive`. */
    unarchive: (id: string, body: Schemas["By"] = {}) => answer(api.POST("/threads/{id}/unarchive", { ...at(id), body })),
    /** Changes a thread's title, or removes it. */
    rename: (id: string, body: Schemas["RenameRequest"]) => answer(api.POST("/threads/{id}/rename", { ...at(id), body })),
    /** The context for a run of the thread, which is stored as an artifact unless `store` is false. */
    compile: (id: string, body: Schemas["CompileBody"] = {}) => answer(api.POST("/threads/{id}/compile", { ...at(id), body })),
    /** Yields the existing frames of a thread, then new ones: see {@link resume}. */
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
    /** Yields the frames of a run until it ends. */
    async *events(id: string, options: EventsOptions = {}): AsyncGenerator<SessionFrame, void, undefined> {
      for await (const frame of follow(id, options)) {
        yield frame;
        if (frame.type === "session_ended") return;
      }
    },
    /** Cancels a run. */
    cancel: (id: string) => answer<unknown>(api.POST("/sessions/{id}/cancel", at(id))).then(() => {}),
  };
}
