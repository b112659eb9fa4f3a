export { createClient, type Client, type ClientOptions, type Query } from "./client.js";
export { answer, HandoffError, type NewFinding, type Problem, type ProblemType } from "./errors.js";
export type { HandoffEvent, HandoffEventsOptions, HandoffRecord } from "./handoffs.js";
export type { ByteRange, Bytes, StoredArtifact } from "./artifacts.js";
export { resume, type Clock, type EventsOptions, type Open, type Position } from "./events.js";
export type { TapeEntry, TapeEvent, TapeEventsOptions } from "./tapes.js";
export type { CreateOptions, SessionFrame, ThreadFrame } from "./threads.js";
export { EventParser, EventTooLongError, type ServerSentEvent } from "./sse.js";
export type { components, operations, paths } from "./schema.js";
