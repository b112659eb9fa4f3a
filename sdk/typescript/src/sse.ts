// Server-sent events as WHATWG HTML has them ("Parsing an event stream"), read
// from the bytes of a fetch. EventSource itself sends no token and tells
// nothing of the status of an answer.

/** One event of a stream. */
export interface ServerSentEvent {
  /** The last `id:` that the stream named, with this event or before it; "" for none. */
  id: string;
  /** What `event:` says; "message" when it says nothing. */
  type: string;
  /** The lines of `data:`, joined by line feeds. */
  data: string;
}

/** The most characters of one event: the server's frames have at most 16 MiB. */
export const longestEvent = 32 * 1024 * 1024;

/** Says that an event is longer than {@link longestEvent}. */
export class EventTooLongError extends Error {
  override name = "EventTooLongError";
}

/**
 * Takes a stream of events apart, however it was cut into chunks. What stands
 * behind the last empty line is no event: of one that was cut off the data
 * would be a part.
 */
export class EventParser {
  #text = new TextDecoder(); // it drops a byte order mark, and keeps half a character for the next chunk
  #line: string[] = []; // pieces of a line whose end has not come
  #size = 0; // characters of the event, of #line too
  #afterCR = false;
  #data: string[] = [];
  #type = "";
  #id = "";

  /** The events that end in this chunk. */
  push(chunk: Uint8Array): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    let text = this.#text.decode(chunk, { stream: true });
    if (text === "") return events;
    if (this.#afterCR && text.startsWith("\n")) text = text.slice(1); // the half of a CRLF
    this.#afterCR = text === "" ? false : text.endsWith("\r");
    let start = 0;
    for (const end of text.matchAll(/\r\n|\r|\n/g)) {
      this.#take(text.slice(start, end.index));
      start = end.index + end[0].length;
      const line = this.#line.length === 1 ? this.#line[0]! : this.#line.join("");
      this.#line = [];
      const event = this.#field(line);
      if (event) events.push(event);
    }
    if (start < text.length) this.#take(text.slice(start));
    return events;
  }

  #take(piece: string): void {
    this.#size += piece.length;
    if (this.#size > longestEvent) {
      throw new EventTooLongError(`an event has more than ${longestEvent} characters`);
    }
    this.#line.push(piece);
  }

  /** Reads one line. The empty one ends an event, if that has data. */
  #field(line: string): ServerSentEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) {
      this.#size -= line.length; // a comment belongs to no event
      return undefined;
    }
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") this.#data.push(value);
    else if (name === "event") this.#type = value;
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    return undefined;
  }

  #dispatch(): ServerSentEvent | undefined {
    const data = this.#data;
    const type = this.#type || "message";
    this.#data = [];
    this.#type = "";
    this.#size = 0;
    return data.length === 0 ? undefined : { id: this.#id, type, data: data.join("\n") };
  }
}
