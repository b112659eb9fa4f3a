import type { Client as Api } from "openapi-fetch";

import { how, key, known, patient, type CallOptions, type CreateOptions, type Query } from "./call.js";
import { accepted, answer } from "./errors.js";
import { listen, type EventsOptions } from "./events.js";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];

/** An entry of a tape. */
export type TapeEntry = Schemas["TapeEntry"];

/** An entry, and the cursor from which a stream continues after it. Entry ids start again when a tape is reset; cursors are never reused. */
export interface TapeEvent {
  place: string;
  entry: TapeEntry;
}

/** Which entries a stream yields, and how it reconnects. */
export type TapeEventsOptions = Omit<EventsOptions, "fromSeq"> & Query<"tape_stream_events"> & {
  /** Start after this cursor (`place`). It overrides all other starting points. */
  after?: string | undefined;
};

export function tapes(api: Api<paths>) {
  const at = (tape: string) => ({ params: { path: { tape } } });
  const asking = <Q>(tape: string, query: Q) => ({ params: { path: { tape }, query } });
  return {
    /** All tapes, or a part of the list. */
    list: (query: Query<"tape_list"> = {}, options: CallOptions = {}) => answer(api.GET("/tapes", { params: { query }, ...how(options) })),
    /** The properties of a tape. */
    get: (tape: string, options: CallOptions = {}) => answer(api.GET("/tapes/{tape}", { ...at(tape), ...how(options) })),
    /** Entries, selected by anchors, dates, text and kinds. */
    entries: (tape: string, query: Query<"tape_entries"> = {}, options: CallOptions = {}) => answer(api.GET("/tapes/{tape}/entries", { ...asking(tape, query), ...how(options) })),
    /** The last entry with an id. */
    entry: (tape: string, id: number, options: CallOptions = {}) =>
      answer(api.GET("/tapes/{tape}/entries/{id}", { params: { path: { tape, id } }, ...how(options) })),
    /** What a tape:// URI names: one entry, or those of a tape. */
    at: (uri: string, query: Omit<Query<"tape_uri">, "uri"> = {}, options: CallOptions = {}) => answer(api.GET("/tape-uri", { params: { query: { ...query, uri } }, ...how(options) })),
    /** The properties of an archived tape, by the path that `reset` and `merge` return. */
    archive: (archive: string, options: CallOptions = {}) => answer(api.GET("/tape-archives/{archive}", { params: { path: { archive } }, ...how(options) })),
    /** Entries of an archived tape. */
    archiveEntries: (archive: string, query: Query<"tape_archive_read"> = {}, options: CallOptions = {}) =>
      answer(api.GET("/tape-archives/{archive}/entries", { params: { path: { archive }, query }, ...how(options) })),
    /** Entries of an archived tape that contain a text, newest first. */
    archiveSearch: (archive: string, text: string, query: Omit<Query<"tape_archive_search">, "text"> = {}, options: CallOptions = {}) =>
      answer(api.GET("/tape-archives/{archive}/search", { params: { path: { archive }, query: { ...query, text } }, ...how(options) })),
    /** The context for a model, of an archived tape. */
    archiveContext: (archive: string, query: Query<"tape_archive_context"> = {}, options: CallOptions = {}) =>
      answer(api.GET("/tape-archives/{archive}/context", { params: { path: { archive }, query }, ...how(options) })),
    /** Which tape was forked from which, as trees; with a name the tree that contains that tape. */
    lineage: (name?: string, options: CallOptions = {}) => answer(api.GET("/tape-lineage", { params: { query: known({ name }) }, ...how(options) })),
    /** The definition of the tool with which a model hands off, in the form of a provider. */
    schema: (form?: NonNullable<Query<"tape_schema">["for"]>, options: CallOptions = {}) => answer(api.GET("/tape-schema", { params: { query: known({ for: form }) }, ...how(options) })),
    /** Runs a comma command, as a model writes it. To destroy entries with `,reset archive=false`, pass `{ confirm: tape }`. */
    exec: (tape: string, command: string, body: { confirm?: string; no_record?: boolean } = {}, options: CallOptions = {}) =>
      answer(api.POST("/tapes/{tape}/exec", { ...at(tape), body: { ...body, command }, ...how(options) })),
    /** Creates a tape unless it exists. With `bare` it gets no anchor session/start, for programs that write their own. */
    create: (tape: string, query: Query<"tape_create"> = {}, options: CallOptions = {}) => answer(api.PUT("/tapes/{tape}", { ...asking(tape, query), ...how(options) })),
    /** Archives and deletes a tape. To delete it without an archive, pass `{ archive: false, confirm: tape }`. */
    delete: (tape: string, query: Query<"tape_delete"> = {}, options: CallOptions = {}) => answer(api.DELETE("/tapes/{tape}", { ...asking(tape, query), ...how(options) })),
    /** Appends entries, all or none. Creates the tape if it does not exist, optionally `bare`. */
    append: (tape: string, entries: Schemas["EntryBody"][], { after, bare, ...options }: CreateOptions & { after?: number; bare?: boolean } = {}) =>
      answer(api.POST("/tapes/{tape}/entries", {
        params: { path: { tape }, ...key(options) },
        ...how(options),
        body: { entries, ...(after !== undefined && { after }), ...(bare !== undefined && { bare }) },
      })),
    /** Appends an anchor, at which the context starts over, and its event. */
    handoff: (tape: string, body: Schemas["TapeHandoffRequest"] = {}, options: CreateOptions = {}) =>
      answer(api.POST("/tapes/{tape}/handoff", { params: { path: { tape }, ...key(options) }, body, ...how(options) })),
    /** The latest anchors. */
    anchors: (tape: string, query: Query<"tape_anchors"> = {}, options: CallOptions = {}) => answer(api.GET("/tapes/{tape}/anchors", { ...asking(tape, query), ...how(options) })),
    /** The archives of a tape, the newest first; `tapes.archive` reads one. */
    archives: (tape: string, options: CallOptions = {}) => answer(api.GET("/tapes/{tape}/archives", { ...at(tape), ...how(options) })),
    /** Entries that contain a text, newest first. */
    search: (tape: string, text: string, query: Omit<Query<"tape_search">, "text"> = {}, options: CallOptions = {}) =>
      answer(api.GET("/tapes/{tape}/search", { ...asking(tape, { ...query, text }), ...how(options) })),
    /** The context for a model. */
    context: (tape: string, query: Query<"tape_context"> = {}, options: CallOptions = {}) => answer(api.GET("/tapes/{tape}/context", { ...asking(tape, query), ...how(options) })),
    /** Where a restarted agent resumes. */
    recover: (tape: string, options: CallOptions = {}) => answer(api.GET("/tapes/{tape}/recover", { ...at(tape), ...how(options) })),
    /** Creates a tape that continues from another one. */
    fork: (tape: string, body: Schemas["ForkRequest"] = {}, options: CreateOptions = {}) =>
      answer(api.POST("/tapes/{tape}/fork", { params: { path: { tape }, ...key(options) }, body, ...how(options) })),
    /** Appends a fork's own entries to its parent, and archives the fork. */
    merge: (fork: string, body: { keep_anchors?: boolean } = {}, options: CallOptions = {}) => answer(api.POST("/tapes/{tape}/merge", { ...at(fork), body, ...how(options) })),
    /** Archives a fork without merging it. */
    discard: (fork: string, body: { reason?: string } = {}, options: CallOptions = {}) => answer(api.POST("/tapes/{tape}/discard", { ...at(fork), body, ...how(options) })),
    /** Archives the entries of a tape and starts it again. To delete them without an archive, pass `{ archive: false, confirm: tape }`. */
    reset: (tape: string, body: { archive?: boolean; confirm?: string } = {}, options: CreateOptions = {}) =>
      answer(api.POST("/tapes/{tape}/reset", { params: { path: { tape }, ...key(options) }, body, ...how(options) })),
    /** Packs a tape into an envelope for another agent. */
    send: (tape: string, body: Schemas["SendRequest"], options: CallOptions = {}) =>
      answer(api.POST("/tapes/{tape}/send", { ...at(tape), body, ...how(options) })),
    /** Appends the content of an envelope, once. */
    receive: (tape: string, envelope: Schemas["EnvelopeBody"], query: Query<"tape_receive"> = {}, options: CallOptions = {}) =>
      answer(api.POST("/tapes/{tape}/receive", { ...asking(tape, query), body: envelope, ...how(options) })),
    /**
     * Yields the existing entries of a tape, then new ones as they are written, across resets. Each is yielded once, even if
     * connections break. When a fork is merged or discarded, the stream throws a 404 after its last entry.
     */
    events: (tape: string, options: TapeEventsOptions = {}) => {
      const { last_anchor, after_anchor, since, until, text, kind, from_id, after, ...listening } = options;
      const query = known({ last_anchor, after_anchor, since, until, text, kind, from_id });
      return listen<TapeEvent>(
        async ({ lastEventId }, signal) => {
          const params = { path: { tape }, query, header: known({ "Last-Event-ID": lastEventId }) };
          return (await accepted(api.GET("/tapes/{tape}/events", { params, parseAs: "stream", cache: "no-store", signal, ...patient() }))).response;
        },
        { fromSeq: 0, lastEventId: after },
        listening,
        (event, at) => {
          at.lastEventId = event.id;
          return { place: event.id, entry: JSON.parse(event.data) as TapeEntry };
        },
      );
    },
  };
}
