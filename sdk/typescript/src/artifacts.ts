import type { Client as Api } from "openapi-fetch";

import { patient, type CallOptions } from "./call.js";
import { accepted, answer } from "./errors.js";
import type { components, paths } from "./schema.js";

/** An artifact that was stored. */
export type StoredArtifact = components["schemas"]["StoredArtifact"];

/**
 * A part of an artifact: from `start` to before `end`, counted in bytes, or
 * its `last` bytes. Bytes after the end of the artifact are left out.
 */
export type ByteRange = { start: number; end?: number } | { last: number };

/** What can be stored. A Blob is sent while it is read; `fs.openAsBlob` makes one from a file. */
export type Bytes = Uint8Array<ArrayBuffer> | ArrayBuffer | Blob | string;

export function artifacts(api: Api<paths>) {
  const send = (bytes: Bytes, options: CallOptions) => ({
    ...patient(options),
    body: bytes as never, // the OpenAPI document cannot say that it is bytes
    bodySerializer: (body: unknown) => body as BodyInit,
    headers: { "Content-Type": "application/octet-stream" },
  });
  /** The response, whose body has not been read. */
  const open = async (id: string, range?: ByteRange, signal?: AbortSignal, options: CallOptions = {}): Promise<Response> => {
    const call = api.GET("/artifacts/{id}", {
      params: { path: { id } },
      parseAs: "stream",
      ...(range && { headers: { Range: header(range) } }),
      ...(signal && { signal }),
      ...patient(options),
    });
    return (await accepted(call)).response;
  };
  return {
    open,
    /** The bytes of an artifact, or of a part of it. */
    async get(id: string, range?: ByteRange, signal?: AbortSignal, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
      const response = await open(id, range, signal, options);
      const bytes = new Uint8Array(await response.arrayBuffer());
      return range && response.status === 200 ? part(bytes, range) : bytes; // a proxy may ignore ranges
    },
    /** Stores bytes under their SHA-256. If an id is passed, they must hash to it. */
    put: (bytes: Bytes, id?: string, options: CallOptions = {}): Promise<StoredArtifact> =>
      id === undefined
        ? answer(api.POST("/artifacts", send(bytes, options)))
        : answer(api.PUT("/artifacts/{id}", { params: { path: { id } }, ...send(bytes, options) })),
  };
}

/** A Range header. It cannot express an empty range, so that is a RangeError. */
function header(range: ByteRange): string {
  const { start, end, last } = { start: 0, end: undefined, last: undefined, ...range };
  const whole = (n: number, least: number) => Number.isSafeInteger(n) && n >= least;
  if (last !== undefined) {
    if (!whole(last, 1)) throw new RangeError(`invalid range: the last ${last} bytes`);
    return `bytes=-${last}`;
  }
  if (!whole(start, 0) || (end !== undefined && !whole(end, start + 1))) {
    throw new RangeError(`invalid range: bytes ${start} to ${end}`);
  }
  return end === undefined ? `bytes=${start}-` : `bytes=${start}-${end - 1}`;
}

const part = (bytes: Uint8Array<ArrayBuffer>, range: ByteRange): Uint8Array<ArrayBuffer> =>
  "last" in range ? bytes.slice(-range.last) : bytes.slice(range.start, range.end);
