import type { z } from 'zod'
import { booleanSchema, closedObjectSchema, integerSchema, textSchema } from '../kernel/validate.js'
import { EVENT_TYPES, type EventType } from '../webhooks/index.js'

/** An event type in the catalog. */
export interface CatalogEntry {
  readonly type: EventType
  /** The prefix of the type. */
  readonly event_category: string
  readonly description: string
  /** The JSON type of each field of the event's data. */
  readonly data: Readonly<Record<string, string>>
}

type FieldKind = 'uuid' | 'string' | 'integer' | 'boolean'

interface Definition {
  readonly description: string
  /** In the order of the sent members. */
  readonly fields: Readonly<Record<string, FieldKind>>
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const MAX_NAME_LENGTH = 10_000

/** Specification: Event types and data fields. */
const DEFINITIONS: Readonly<Record<EventType, Definition>> = {
  'run.started': { description: 'A run has started', fields: { jobKey: 'uuid' } },
  'run.completed': { description: 'A run has ended', fields: { jobKey: 'uuid', success: 'boolean' } },
  'run.failed': { description: 'A run has failed', fields: { jobKey: 'uuid', success: 'boolean' } },
  'agent.created': { description: 'An agent was created', fields: { agentId: 'integer', name: 'string' } },
  'agent.published': {
    description: 'A revision of an agent was published',
    fields: { agentId: 'integer', revisionId: 'integer' },
  },
  'agent.unpublished': { description: 'An agent is no longer published', fields: { agentId: 'integer' } },
  'agent.enabled': {
    description: 'An agent was enabled',
    fields: { agentId: 'integer', enabled: 'boolean', runnable: 'boolean' },
  },
  'agent.disabled': {
    description: 'An agent was disabled',
    fields: { agentId: 'integer', enabled: 'boolean', runnable: 'boolean' },
  },
  'agent.deleted': { description: 'An agent was deleted', fields: { agentId: 'integer' } },
}

/** All event types, as `GET /v1/outbound-webhooks/catalog` returns them. */
export const CATALOG: readonly CatalogEntry[] = EVENT_TYPES.map((type) => {
  const { description, fields } = DEFINITIONS[type]
  const data = Object.entries(fields).map(([name, kind]) => [name, kind === 'uuid' ? 'string' : kind])
  return {
    type,
    event_category: categoryOf(type),
    description,
    data: Object.fromEntries(data) as Record<string, string>,
  }
})

/** The prefix of a type, such as `run`. */
export function categoryOf(type: EventType): string {
  return type.slice(0, type.indexOf('.'))
}

/** The schema of an event's data. It requires all fields of the type, and refuses any other field. */
export function dataSchema(type: EventType): z.ZodType<Record<string, unknown>> {
  const fields = Object.entries(DEFINITIONS[type].fields)
  return closedObjectSchema(Object.fromEntries(fields.map(([name, kind]) => [name, fieldSchema(kind)])))
}

/** The fields of an event's data, in the order of the sent members. */
export function fieldsOf(type: EventType): readonly string[] {
  return Object.keys(DEFINITIONS[type].fields)
}

function fieldSchema(kind: FieldKind): z.ZodType {
  if (kind === 'integer') return integerSchema()
  if (kind === 'boolean') return booleanSchema()
  const text = textSchema({ max: MAX_NAME_LENGTH })
  return kind === 'string' ? text : text.refine((value) => UUID.test(value), { error: 'must be a UUID' })
}
