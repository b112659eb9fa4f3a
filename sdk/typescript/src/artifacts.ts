import type { Client as Api } from "openapi-fetch";

import { accepted, answer } from "./errors.js";
import type { components, paths } from "./schema.js";

/** An artifact that was stored. */
export type StoredArtifact = components["schemas"]["StoredArtifact"];

/**
 * A part of an artifact: from `start` to before `end`, counted in bytes, or
 * its `last` bytes. What lies behind the end of the artifact is left out.
 */
export type ByteRange = { start: number; end?: number } | { last: number };

/** What can be stored. A Blob is sent as it is read (`fs.openAsBlob` makes one of a file). */
export type Bytes = Uint8Array<ArrayBuffer> | ArrayBuffer | Blob | string;

export function artifacts(api: Api<paths>) {
  const send = (bytes: Bytes) => ({
    body: bytes as never, // the document says nothing of it
    bodySerializer: (body: unknown) => body as BodyInit,
    headers: { "Content-Type": "application/octet-stream" },
  });
  /** The answer with the bytes, not read yet. */
  const open = async (id: string, range?: ByteRange, signal?: AbortSignal): Promise<Response> => {
    const call = api.GET("/artifacts/{id}", {
      params: { path: { id } },
      parseAs: "stream",
      ...(range && { headers: { Range: header(range) } }),
      ...(signal && { signal }),
    });
    return (await accepted(call)).response;
  };
  return {
    open,
    /** The bytes of an artifact, or of a part of it. */
    async get(id: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
      const response = await open(id, range, signal);
      const bytes = new Uint8Array(await response.arrayBuffer());
      return range && response.status === 200 ? part(bytes, range) : bytes; // a proxy may know no ranges
    },
    /** Stores bytes under the SHA-256 of them. Where an id is given they must hash to it. */
    put: (bytes: Bytes, id?: string): Promise<StoredArtifact> =>
      id === undefined
        ? answer(api.POST("/artifacts", send(bytes)))
        : answer(api.PUT("/artifacts/{id}", { params: { path: { id } }, ...send(bytes) })),
  };
}

/** A Range header. There is none for no bytes, nor for a part that ends before it begins. */
function header(range: ByteRange): string {
  const { start, end, last } = { start: 0, end: undefined, last: undefined, ...range };
  const whole = (n: number, least: number) => Number.isSafeInteger(n) && n >= least;
  if (last !== undefined) {
    if (!whole(last, 1)) throw new RangeError(`the last ${last} bytes are no part of an artifact`);
    return `bytes=-${last}`;
  }
  if (!whole(start, 0) || (end !== undefined && !whole(end, start + 1))) {
    throw new RangeError(`bytes ${start} to ${end} are no part of an artifact`);
  }
  return end === undefined ? `bytes=${start}-` : `bytes=${start}-${end - 1}`;
}

const part = (bytes: Uint8Array<ArrayBuffer>, range: ByteRange): Uint8Array<ArrayBuffer> =>
  "last" in range ? bytes.slice(-range.last) : bytes.slice(range.start, range.end);
