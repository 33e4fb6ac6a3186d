/**
 * The event types of the specification, in its order. A destination without a list of types gets these.
 * Specification: Event types and data fields.
 */
export const EVENT_TYPES = [
  'run.started',
  'run.completed',
  'run.failed',
  'agent.created',
  'agent.published',
  'agent.unpublished',
  'agent.enabled',
  'agent.disabled',
  'agent.deleted',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** The members of an event's `data`, by the event's type. `jobKey` is a UUID; the other ids are integers. */
export interface EventData {
  readonly 'run.started': { readonly jobKey: string }
  readonly 'run.completed': { readonly jobKey: string; readonly success: boolean }
  readonly 'run.failed': { readonly jobKey: string; readonly success: boolean }
  readonly 'agent.created': { readonly agentId: number; readonly name: string }
  readonly 'agent.published': { readonly agentId: number; readonly revisionId: number }
  readonly 'agent.unpublished': { readonly agentId: number }
  readonly 'agent.enabled': { readonly agentId: number; readonly enabled: boolean; readonly runnable: boolean }
  readonly 'agent.disabled': { readonly agentId: number; readonly enabled: boolean; readonly runnable: boolean }
  readonly 'agent.deleted': { readonly agentId: number }
}

/** The types of events about documents, which the engine records. A destination gets those that it names. */
export const DOCUMENT_EVENT_TYPES = ['document.completed', 'document.failed', 'document.deleted'] as const

export type DocumentEventType = (typeof DOCUMENT_EVENT_TYPES)[number]

/**
 * The members that every event about a document has. For a document in a private context, a destination whose URL was set
 * by somebody who does not see all contexts gets the three ids alone.
 */
interface DocumentEventMembers {
  readonly contextId: number
  /** Stays the same when the document is replaced. */
  readonly docId: number
  /** UUID of the version that the event is about: the `fileName` of the document's record. */
  readonly uuid: string
  /** The name of the uploaded file. */
  readonly originalName?: string
}

/** The members of the `data` of events about documents, by the event's type. */
export interface DocumentEventData {
  /** `replacement`: true if the version has replaced another one. `chunks`: the number of its chunks. */
  readonly 'document.completed': DocumentEventMembers & { readonly replacement?: boolean; readonly chunks?: number }
  /**
   * `replacement`: true if the failed version was to replace another one, which stays. `error`: a sentence that ends in
   * its error code.
   */
  readonly 'document.failed': DocumentEventMembers & { readonly replacement?: boolean; readonly error?: string }
  readonly 'document.deleted': DocumentEventMembers
}

/** The types that the engine has itself. */
export type BuiltInEventType = EventType | DocumentEventType

type BuiltInEventData = EventData & DocumentEventData

/** The prefix of an event's type. */
export type EventCategory<Type extends string = EventType> = Type extends `${infer Category}.${string}`
  ? Category
  : never

/** The body of a delivery, with its members in the order in which they are sent. Specification: Envelope. */
interface Envelope<Type extends string, Category extends string, Data> {
  /** Receivers deduplicate deliveries on this id. Every re-delivery repeats it. */
  readonly id: string
  readonly version: 'v1'
  readonly type: Type
  readonly event_category: Category
  /** Time of the recording: ISO 8601, UTC. Every re-delivery repeats it. */
  readonly timestamp: string
  readonly data: Data
}

/** An event of a known type: a union discriminated by `type`, or one member of it. */
export type KnownWebhookEvent<Type extends BuiltInEventType = BuiltInEventType> = {
  readonly [Each in Type]: Envelope<Each, EventCategory<Each>, BuiltInEventData[Each]>
}[Type]

/** The data of types that the sending application has defined, by type. Default: the receiver knows none. */
type NoTypes = object

/** An event of a type that the sending application has defined. */
export type HostWebhookEvent<HostData> = {
  readonly [Each in keyof HostData & string]: Envelope<Each, EventCategory<Each>, HostData[Each]>
}[keyof HostData & string]

/** Exists only for the compiler. At run time, the value is the string of the type. */
declare enum LaterEventType {
  Later = 'a type that this version does not know',
}

/**
 * An event of a type that is newer than this version. TypeScript cannot express "any string except these". So
 * `type` is declared as the only member of an enum that does not exist at run time: a string that differs from the
 * known ones. With it, `case 'run.started':` narrows to that event, `default:` narrows to this one, and a misspelt `case` is
 * a compile error.
 */
export type UnknownWebhookEvent = Envelope<LaterEventType, string, Readonly<Record<string, unknown>>>

/**
 * An event in a receiver. `switch (event.type)` narrows `event.data`. A receiver ignores types without a `case`, and
 * answers them with 2xx, because a 4xx is a final failure.
 *
 * `HostData` has the data of the types that the sending application has defined, by type:
 * `WebhookEvent<{ 'order.created': { orderId: number } }>`.
 */
export type WebhookEvent<HostData = NoTypes> = KnownWebhookEvent | HostWebhookEvent<HostData> | UnknownWebhookEvent
