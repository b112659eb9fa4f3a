import type { Client as Api } from "openapi-fetch";

import { how, key, patient, type Body, type CallOptions, type CreateOptions, type Query } from "./call.js";
import { accepted, answer } from "./errors.js";
import { resume, type EventsOptions, type Open } from "./events.js";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];

/** A frame of a thread; `type` distinguishes the kinds. A newer server may send kinds that this package does not know. */
export type ThreadFrame = Schemas["ThreadFrame"];

/** A frame of a run; `type` distinguishes the kinds. */
export type SessionFrame = Schemas["SessionFrame"];

const at = (id: string) => ({ params: { path: { id } } });

const from = (position: Parameters<Open>[0]) => ({
  query: { from_seq: position.fromSeq },
  header: position.lastEventId === undefined ? {} : { "Last-Event-ID": position.lastEventId as unknown as number }, // as received
});

export function threads(api: Api<paths>) {
  return {
    /** The default thread. It is created if it does not exist. */
    ensure: (options: CallOptions = {}) => answer(api.POST("/threads/ensure", how(options))),
    /** Creates a thread. */
    create: (body: { title?: string | null } = {}, options: CreateOptions = {}) =>
      answer(api.POST("/threads", { params: key(options), body, ...how(options) })),
    /** All threads, or a part of the list. */
    list: (query: Query<"thread_list"> = {}, options: CallOptions = {}) => answer(api.GET("/threads", { params: { query }, ...how(options) })),
    /** The properties of a thread. */
    get: (id: string, options: CallOptions = {}) => answer(api.GET("/threads/{id}", { ...at(id), ...how(options) })),
    /** The tree of threads that a thread belongs to. */
    lineage: (id: string, options: CallOptions = {}) => answer(api.GET("/threads/{id}/lineage", { ...at(id), ...how(options) })),
    /** Appends a message and starts a run for it; `sessions.events` yields its frames. */
    post: (id: string, message: string | Schemas["MessageBody"], options: CreateOptions = {}) =>
      answer(api.POST("/threads/{id}/messages", { params: { path: { id }, ...key(options) }, body: typeof message === "string" ? { content: message } : message, ...how(options) })),
    /** Creates a thread that inherits everything up to a cut: a message, an event, or the end. */
    branch: (id: string, body: Schemas["BranchRequest"] = {}, options: CreateOptions = {}) =>
      answer(api.POST("/threads/{id}/branch", { params: { path: { id }, ...key(options) }, body, ...how(options) })),
    /** Creates a thread that starts from a summary, which the server stores as a bundle. */
    handoff: (id: string, body: Schemas["ThreadHandoffRequest"], options: CreateOptions = {}) =>
      answer(api.POST("/threads/{id}/handoff", { params: { path: { id }, ...key(options) }, body, ...how(options) })),
    /** Refers to another thread up to a cut; contexts with `refs` include it. */
    reference: (id: string, body: Schemas["ReferenceRequest"], options: CallOptions = {}) => answer(api.POST("/threads/{id}/references", { ...at(id), body, ...how(options) })),
    /** Archives a thread. It can still be read and written. */
    archive: (id: string, body: Schemas["By"] = {}, options: CallOptions = {}) => answer(api.POST("/threads/{id}/archive", { ...at(id), body, ...how(options) })),
    /** Reverses `archive`. */
    unarchive: (id: string, body: Schemas["By"] = {}, options: CallOptions = {}) => answer(api.POST("/threads/{id}/unarchive", { ...at(id), body, ...how(options) })),
    /** Changes a thread's title, or removes it. */
    rename: (id: string, body: Schemas["RenameRequest"], options: CallOptions = {}) => answer(api.POST("/threads/{id}/rename", { ...at(id), body, ...how(options) })),
    /** The context for a run of the thread, which is stored as an artifact unless `store` is false. */
    compile: (id: string, body: Schemas["CompileBody"] = {}, options: CallOptions = {}) => answer(api.POST("/threads/{id}/compile", { ...at(id), body, ...how(options) })),
    /** Where a summary of the thread may end. */
    cutPoints: (id: string, body: Body<"thread_compaction_cut_points"> = {}, options: CallOptions = {}) =>
      answer(api.POST("/threads/{id}/compaction-cut-points", { ...at(id), body, ...how(options) })),
    /** The summaries of the thread, and what runs. */
    compactionStatus: (id: string, body: Body<"thread_compaction_status"> = {}, options: CallOptions = {}) =>
      answer(api.POST("/threads/{id}/compaction-status", { ...at(id), body, ...how(options) })),
    /** Stores a summary of the thread up to a cut. */
    checkpoint: (id: string, body: Body<"thread_compaction_checkpoint">, options: CallOptions = {}) =>
      answer(api.POST("/threads/{id}/compaction-checkpoint", { ...at(id), body, ...how(options) })),
    /** Summarizes the thread now, if it is long. */
    compact: (id: string, body: Body<"thread_compaction_auto">, options: CallOptions = {}) =>
      answer(api.POST("/threads/{id}/compaction-auto", { ...at(id), body, ...how(options) })),
    /** Summarizes the thread when it is time. */
    scheduleCompact: (id: string, body: Body<"thread_compaction_auto_schedule">, options: CallOptions = {}) =>
      answer(api.POST("/threads/{id}/compaction-auto-schedule", { ...at(id), body, ...how(options) })),
    /** Where providers of models continue the thread. */
    cursors: (id: string, body: Body<"thread_provider_cursor_status"> = {}, options: CallOptions = {}) =>
      answer(api.POST("/threads/{id}/provider-cursor-status", { ...at(id), body, ...how(options) })),
    /** Makes a provider begin again. */
    rotateCursor: (id: string, body: Body<"thread_provider_cursor_rotate">, options: CallOptions = {}) =>
      answer(api.POST("/threads/{id}/provider-cursor-rotate", { ...at(id), body, ...how(options) })),
    /** What the contexts of past runs contained. */
    selections: (id: string, body: Body<"thread_context_selection_status"> = {}, options: CallOptions = {}) =>
      answer(api.POST("/threads/{id}/context-selection-status", { ...at(id), body, ...how(options) })),
    /**
     * Yields the existing frames of a thread, then new ones: see {@link resume}. With `inherited` it begins with the frames that a branch inherits;
     * `fromSeq` then counts from the first of them.
     */
    events: (id: string, { inherited, ...options }: EventsOptions & { inherited?: boolean | undefined } = {}) =>
      resume<ThreadFrame>(
        async (position, signal) => {
          const { query, header } = from(position);
          const params = { path: { id }, query: inherited ? { ...query, inherited } : query, header };
          return (await accepted(api.GET("/threads/{id}/events", { params, parseAs: "stream", cache: "no-store", signal, ...patient() }))).response;
        },
        options,
        inherited ? (_, event) => Number(event.id) : undefined,
      ),
  };
}

/** Runs. */
export function sessions(api: Api<paths>) {
  const follow = (id: string, options: EventsOptions) =>
    resume<SessionFrame>(
      async (position, signal) => {
        const params = { path: { id }, ...from(position) };
        return (await accepted(api.GET("/sessions/{id}/events", { params, parseAs: "stream", cache: "no-store", signal, ...patient() }))).response;
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
    /** Creates a session that waits for input. */
    create: (options: CallOptions = {}) => answer(api.POST("/sessions", how(options))),
    /** Sends a session its input, and starts the run. */
    send: (id: string, body: Body<"send_input">, options: CallOptions = {}) =>
      answer<unknown>(api.POST("/sessions/{id}/input", { ...at(id), body, ...how(options) })).then(() => {}),
    /** Cancels a run. */
    cancel: (id: string, options: CallOptions = {}) => answer<unknown>(api.POST("/sessions/{id}/cancel", { ...at(id), ...how(options) })).then(() => {}),
  };
}
