import type { Client as Api } from "openapi-fetch";

import { how, key, patient, type CallOptions, type CreateOptions, type Query } from "./call.js";
import { accepted, answer } from "./errors.js";
import { listen, type EventsOptions } from "./events.js";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];

/** What happened to a handoff; `type` distinguishes the kinds. A newer server may send kinds that this package does not know. */
export type HandoffEvent = Schemas["HandoffEvent"];

/** What became of a handoff. */
export type HandoffRecord = Schemas["HandoffRecord"];

/** Options of {@link EventsOptions}, and filters. */
export interface HandoffEventsOptions extends EventsOptions {
  /** Only events of this task number. */
  task?: number | undefined;
  /** Only events of these types. */
  type?: HandoffEvent["type"][] | undefined;
}

/** A handoff is named as on the command line: 259/3, 259, latest, or a path. */
export function handoffs(api: Api<paths>) {
  const at = (ref: string) => ({ params: { path: { ref } } });
  return {
    /** Handoffs, newest first. */
    list: (query: Query<"handoff_list"> = {}, options: CallOptions = {}) => answer(api.GET("/handoffs", { params: { query }, ...how(options) })),
    /** The contents of a handoff. */
    get: (ref: string, options: CallOptions = {}) => answer(api.GET("/handoffs/{ref}", { ...at(ref), ...how(options) })),
    /** Handoffs that contain all words of `q`. */
    search: (query: Query<"handoff_search"> = {}, options: CallOptions = {}) => answer(api.GET("/search", { params: { query }, ...how(options) })),
    /** The metadata file of the handoff's task. */
    metadata: (ref: string, options: CallOptions = {}) => answer(api.GET("/handoffs/{ref}/metadata", { ...at(ref), ...how(options) })),
    /** The Markdown document. */
    document: (ref: string, options: CallOptions = {}) => answer<string>(api.GET("/handoffs/{ref}/document", { ...at(ref), parseAs: "text", ...how(options) })),
    /** The brief for the successor, in levels from 1 to 3. */
    brief: (ref: string, query: Query<"handoff_brief"> = {}, options: CallOptions = {}) =>
      answer<string>(api.GET("/handoffs/{ref}/brief", { params: { path: { ref }, query }, parseAs: "text", ...how(options) })),
    /** Writes a handoff of a task, from values or Markdown. If it has lint errors, the {@link HandoffError} has `findings`. */
    create: (task: number, body: Schemas["NewHandoff"], options: CreateOptions = {}) =>
      answer(api.POST("/specs/{n}/handoffs", { params: { path: { n: task }, ...key(options) }, body, ...how(options) })),
    /** The handoffs that wait, the best first, and those that are claimed. */
    next: (query: Query<"handoff_next"> = {}, options: CallOptions = {}) => answer(api.GET("/handoffs/next", { params: { query }, ...how(options) })),
    /** Claims the best handoff that waits. If none does, it throws a 404. */
    claimNext: (body: Schemas["HandoffNextRequest"], options: CreateOptions = {}) =>
      answer(api.POST("/handoffs/next/claim", { params: key(options), body, ...how(options) })),
    /** Claims a handoff, so that no other session does. If another session holds it, it throws a 409. */
    claim: (ref: string, body: Schemas["HandoffClaimRequest"], options: CreateOptions = {}) =>
      answer(api.POST("/handoffs/{ref}/claim", { params: { path: { ref }, ...key(options) }, body, ...how(options) })),
    /** Confirms that a handoff was read. */
    ack: (ref: string, body: Schemas["HandoffAckRequest"], options: CallOptions = {}) => answer(api.POST("/handoffs/{ref}/ack", { ...at(ref), body, ...how(options) })),
    /** Extends the lease of a claim. */
    renew: (ref: string, body: Schemas["HandoffRenewRequest"], options: CallOptions = {}) => answer(api.POST("/handoffs/{ref}/renew", { ...at(ref), body, ...how(options) })),
    /** Gives a handoff back, so that it waits again. */
    release: (ref: string, body: Schemas["HandoffReleaseRequest"], options: CallOptions = {}) => answer(api.POST("/handoffs/{ref}/release", { ...at(ref), body, ...how(options) })),
    /** Records that the work of a handoff is finished. */
    done: (ref: string, body: Schemas["HandoffDoneRequest"], options: CallOptions = {}) => answer(api.POST("/handoffs/{ref}/done", { ...at(ref), body, ...how(options) })),
    /** What became of a handoff, step by step. */
    receipts: (ref: string, options: CallOptions = {}) => answer(api.GET("/handoffs/{ref}/receipts", { ...at(ref), ...how(options) })),
    /**
     * Yields the events of all handoffs so far, then new ones as they happen. Each is yielded once, in order, even if
     * connections break or the server restarts.
     */
    events: (options: HandoffEventsOptions = {}) => {
      const { task, type, fromSeq, ...listening } = options;
      const filter = { ...(task !== undefined && { task }), ...(type !== undefined && { type }) };
      return listen<HandoffEvent>(
        async (position, signal) => {
          const header = position.lastEventId === undefined ? {} : { "Last-Event-ID": position.lastEventId as unknown as number }; // as received
          const params = { query: { ...filter, from_seq: position.fromSeq }, header };
          return (await accepted(api.GET("/handoffs/events", { params, parseAs: "stream", cache: "no-store", signal, ...patient() }))).response;
        },
        { fromSeq: fromSeq ?? 0, lastEventId: undefined },
        listening,
        (message, position) => {
          const event = JSON.parse(message.data) as HandoffEvent;
          if (event.seq < position.fromSeq) return undefined; // a duplicate
          position.fromSeq = event.seq + 1;
          position.lastEventId = message.id || undefined;
          return event;
        },
      );
    },
  };
}
