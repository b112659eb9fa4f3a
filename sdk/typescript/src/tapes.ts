import type { Client as Api } from "openapi-fetch";

import { accepted, answer } from "./errors.js";
import { listen, type EventsOptions } from "./events.js";
import type { components, operations, paths } from "./schema.js";
import { key, type Making } from "./threads.js";

type Schemas = components["schemas"];
type Query<Operation extends keyof operations> = NonNullable<operations[Operation]["parameters"]["query"]>;

/** An entry of a tape. */
export type TapeEntry = Schemas["TapeEntry"];

/** An entry as it came, and the place from which a stream goes on behind it. Ids of entries begin anew when a tape is reset; places do not come again. */
export interface TapeEvent {
  place: string;
  entry: TapeEntry;
}

/** Which entries of a stream are wanted, and how to listen. */
export type TapeEventsOptions = Omit<EventsOptions, "fromSeq"> & Query<"tape_stream_events"> & {
  /** Begin behind this place, whatever else says where to begin. */
  behind?: string | undefined;
};

export function tapes(api: Api<paths>) {
  const at = (tape: string) => ({ params: { path: { tape } } });
  const asking = <Q>(tape: string, query: Q) => ({ params: { path: { tape }, query } });
  return {
    /** All tapes. */
    list: () => answer(api.GET("/tapes")),
    /** What is known of a tape. */
    get: (tape: string) => answer(api.GET("/tapes/{tape}", at(tape))),
    /** Entries: chosen by anchors, then dates, text and kinds. */
    entries: (tape: string, query: Query<"tape_entries"> = {}) => answer(api.GET("/tapes/{tape}/entries", asking(tape, query))),
    /** Creates a tape, or leaves it as it is; bare is without the anchor session/start, for a program that writes its own. */
    create: (tape: string, query: Query<"tape_create"> = {}) => answer(api.PUT("/tapes/{tape}", asking(tape, query))),
    /** Deletes a tape, and archives what it has: to destroy it wants `{ archive: false, confirm: tape }`. */
    delete: (tape: string, query: Query<"tape_delete"> = {}) => answer(api.DELETE("/tapes/{tape}", asking(tape, query))),
    /** Appends entries, all or none. A tape that is not there is begun, bare on request. */
    append: (tape: string, entries: Schemas["EntryBody"][], { after, bare, ...making }: Making & { after?: number; bare?: boolean } = {}) =>
      answer(api.POST("/tapes/{tape}/entries", {
        params: { path: { tape }, ...key(making) },
        body: { entries, ...(after !== undefined && { after }), ...(bare !== undefined && { bare }) },
      })),
    /** Writes an anchor, from which the context begins, and its event. */
    handoff: (tape: string, body: Schemas["TapeHandoffBody"] = {}, making: Making = {}) =>
      answer(api.POST("/tapes/{tape}/handoff", { params: { path: { tape }, ...key(making) }, body })),
    /** The last anchors. */
    anchors: (tape: string, query: Query<"tape_anchors"> = {}) => answer(api.GET("/tapes/{tape}/anchors", asking(tape, query))),
    /** Entries that hold a text, the newest first. */
    search: (tape: string, text: string, query: Omit<Query<"tape_search">, "text"> = {}) =>
      answer(api.GET("/tapes/{tape}/search", asking(tape, { ...query, text }))),
    /** What a model is to be given. */
    context: (tape: string, query: Query<"tape_context"> = {}) => answer(api.GET("/tapes/{tape}/context", asking(tape, query))),
    /** What an agent needs that starts again. */
    recover: (tape: string) => answer(api.GET("/tapes/{tape}/recover", at(tape))),
    /** A tape that goes on from another. */
    fork: (tape: string, body: Schemas["ForkBody"] = {}, making: Making = {}) =>
      answer(api.POST("/tapes/{tape}/fork", { params: { path: { tape }, ...key(making) }, body })),
    /** Appends what a fork has of its own to its parent, and archives the fork. */
    merge: (fork: string, body: { keep_anchors?: boolean } = {}) => answer(api.POST("/tapes/{tape}/merge", { ...at(fork), body })),
    /** Archives a fork, and takes nothing over. */
    discard: (fork: string, body: { reason?: string } = {}) => answer(api.POST("/tapes/{tape}/discard", { ...at(fork), body })),
    /** Begins a tape anew, and archives what it has: to destroy it wants `{ archive: false, confirm: tape }`. */
    reset: (tape: string, body: { archive?: boolean; confirm?: string } = {}, making: Making = {}) =>
      answer(api.POST("/tapes/{tape}/reset", { params: { path: { tape }, ...key(making) }, body })),
    /** Hands a tape over: an envelope for another agent. */
    send: (tape: string, body: Schemas["SendBody"]) =>
      answer(api.POST("/tapes/{tape}/send", { ...at(tape), body })) as Promise<unknown> as Promise<Schemas["EnvelopeBody"]>,
    /** Takes an envelope over, once. */
    receive: (tape: string, envelope: Schemas["EnvelopeBody"], query: Query<"tape_receive"> = {}) =>
      answer(api.POST("/tapes/{tape}/receive", { ...asking(tape, query), body: envelope })),
    /**
     * The entries of a tape, those that are there and those to come, beyond resets. Over lost connections each is given
     * once. That a fork was merged or discarded is thrown as a 404, behind its last entry.
     */
    events: (tape: string, options: TapeEventsOptions = {}) => {
      const { last_anchor, after_anchor, since, until, text, kind, from_id, behind, ...listening } = options;
      const query = given({ last_anchor, after_anchor, since, until, text, kind, from_id });
      return listen<TapeEvent>(
        async ({ lastEventId }, signal) => {
          const params = { path: { tape }, query, header: given({ "Last-Event-ID": lastEventId }) };
          return (await accepted(api.GET("/tapes/{tape}/events", { params, parseAs: "stream", cache: "no-store", signal }))).response;
        },
        { fromSeq: 0, lastEventId: behind },
        listening,
        (event, at) => {
          at.lastEventId = event.id;
          return { place: event.id, entry: JSON.parse(event.data) as TapeEntry };
        },
      );
    },
  };
}

/** What of an object is given. */
function given<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
