// A parser of server-sent events (WHATWG HTML, "Parsing an event stream") for
// the bytes of a fetch. EventSource itself cannot send a token and does not
// report the HTTP status.

/** One event of a stream. */
export interface ServerSentEvent {
  /** The last `id:` of the stream, in this event or before it; "" if there was none. */
  id: string;
  /** The value of `event:`; "message" if it is empty or missing. */
  type: string;
  /** The lines of `data:`, joined by line feeds. */
  data: string;
}

/** Maximum length of one event in characters: the server's frames have at most 16 MiB. */
export const longestEvent = 32 * 1024 * 1024;

/** An event is longer than {@link longestEvent}. */
export class EventTooLongError extends Error {
  override name = "EventTooLongError";
}

/**
 * Splits a stream into events, however it was cut into chunks. Text after the
 * last empty line is not an event: its data may be incomplete.
 */
export class EventParser {
  #text = new TextDecoder(); // drops a byte order mark, and keeps an incomplete character for the next chunk
  #line: string[] = []; // pieces of a line that has not ended
  #size = 0; // characters of the event, including #line
  #afterCR = false;
  #data: string[] = [];
  #type = "";
  #id = "";

  /** The events that end in this chunk. */
  push(chunk: Uint8Array): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    let text = this.#text.decode(chunk, { stream: true });
    if (text === "") return events;
    if (this.#afterCR && text.startsWith("\n")) text = text.slice(1); // second half of a CRLF
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

  /** Reads one line. An empty line ends an event, if it has data. */
  #field(line: string): ServerSentEvent | undefined {
    if (line === "") return this.#dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) {
      this.#size -= line.length; // comments do not count
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
