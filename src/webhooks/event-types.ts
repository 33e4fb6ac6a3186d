/** Every type of event there is (specification, Event types and data fields), in the specification's order. */
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

/** What an event's `data` has, by the event's type. `jobKey` is a UUID, the other ids are integers. */
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

/** The prefix of an event's type. */
export type EventCategory<Type extends EventType = EventType> = Type extends `${infer Category}.${string}`
  ? Category
  : never

/** What is sent (specification, Envelope), its members in the order in which they are sent. */
interface Envelope<Type extends string, Category extends string, Data> {
  /** Every re-delivery repeats it: what deliveries are deduplicated on. */
  readonly id: string
  readonly version: 'v1'
  readonly type: Type
  readonly event_category: Category
  /** When the event was recorded: ISO 8601, UTC. Every re-delivery repeats it. */
  readonly timestamp: string
  readonly data: Data
}

/** An event of a type that this version knows: a union that its `type` tells apart, or one member of it. */
export type KnownWebhookEvent<Type extends EventType = EventType> = {
  readonly [Each in Type]: Envelope<Each, EventCategory<Each>, EventData[Each]>
}[Type]

/** For the compiler alone; at run time it is the type's own string. */
declare enum LaterEventType {
  Later = 'a type that this version does not know',
}

/**
 * An event of a type that came into being after this version. TypeScript has no word for "any string but
 * these nine", so its `type` is declared as the one member of an enum that does not exist at run time: a
 * string, and none of the nine. So `case 'run.started':` narrows to that event, `default:` to this one, and
 * a misspelt `case` is a compile error.
 */
export type UnknownWebhookEvent = Envelope<LaterEventType, string, Readonly<Record<string, unknown>>>

/**
 * An event as a receiver gets it. `switch (event.type)` narrows `event.data`; what it has no `case` for is to
 * be ignored and answered with 2xx, for a 4xx is a failure that is never tried again.
 */
export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent
