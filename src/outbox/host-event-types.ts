import { z } from 'zod'
import { errorReason, InvalidInputError, LimitReachedError } from '../kernel/errors.js'
import { closedObjectSchema, textSchema, validate } from '../kernel/validate.js'
import type { Repositories, Storage } from '../ports/index.js'
import { DOCUMENT_EVENT_TYPES, EVENT_TYPES } from '../webhooks/index.js'
import { CATALOG, type CatalogEntry, categoryOf, DOCUMENT_CATALOG } from './catalog.js'
import type { DataOfFields, FieldKind } from './event-fields.js'
import { type DataCheck, dataCheckOf, type StandardSchema } from './event-schema.js'

/** The schema of the data of a host's own event type. */
export type EventSchema = StandardSchema | Readonly<Record<string, FieldKind>>

/** The data that a schema accepts, as it is sent. */
export type DataOfSchema<Schema extends EventSchema> =
  Schema extends StandardSchema<infer Output>
    ? Output
    : Schema extends Readonly<Record<string, FieldKind>>
      ? DataOfFields<Schema>
      : never

/** An event type of the host's application. */
export interface EventTypeDefinition<Type extends string = string, Schema extends EventSchema = EventSchema> {
  /**
   * Two or more parts of lower-case letters, digits, `_` and `-` with dots between them, such as `order.created`; at
   * most 100 characters. The first part is the category; it is none of `agent`, `alcove`, `document` and `run`.
   */
  readonly type: Type
  /** For the catalog; at most 1,000 characters. Default: the type. */
  readonly description?: string
  /** A Standard Schema, such as one of zod, or the kind of each field: `{ orderId: 'integer', name: 'string' }`. */
  readonly schema: Schema
}

/** Categories of the engine's own types, of this version and of later ones. */
const RESERVED = ['agent', 'alcove', 'document', 'run']
const TYPE = /^[a-z][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)+$/
const MAX_TYPE_LENGTH = 100
const MAX_TYPES = 1_000
const SETTING = 'event-types'
const BUILT_IN: readonly string[] = [...EVENT_TYPES, ...DOCUMENT_EVENT_TYPES]

/** True for the engine's own types. */
export function isBuiltIn(type: string): boolean {
  return BUILT_IN.includes(type)
}

const DEFINITION = closedObjectSchema({
  type: textSchema({ min: 1, max: MAX_TYPE_LENGTH }),
  description: textSchema({ min: 1, max: 1_000, isLine: true }).optional(),
  schema: z.unknown(),
})

/** The stored part of each type, which every process knows. The schema stays in the process that has defined it. */
type StoredTypes = Readonly<Record<string, Pick<CatalogEntry, 'description' | 'data'>>>

/** The event types of the host's application. */
export class HostEventTypes {
  readonly #checks = new Map<string, DataCheck>()

  constructor(private readonly storage: Storage) {}

  /**
   * Defines a type in this process, and stores its name for all processes. A second definition replaces the first.
   *
   * @throws InvalidInputError for a reserved or invalid name, and for a schema that is none
   * @throws LimitReachedError for more than 1,000 types
   */
  async define(definition: EventTypeDefinition): Promise<void> {
    const { type, description = type, schema } = validate(DEFINITION, definition)
    requireHostType(type)
    const check = dataCheckOf(schema)
    const stored = { description, data: check.fields }
    await this.#store(type, stored)
    this.#checks.set(type, check)
  }

  /**
   * @returns the check of a type
   * @throws InvalidInputError for a type that this process has not defined
   */
  checkOf(type: string): DataCheck {
    const check = this.#checks.get(type)
    if (check !== undefined) return check
    throw new InvalidInputError('type', `${type} is not defined in this process: call events.define with its schema`)
  }

  /** All types: of the specification, of documents, and those that any process has defined. */
  async catalog(): Promise<readonly CatalogEntry[]> {
    const stored = await this.storage.read(readTypes)
    const own = Object.entries(stored).map(([type, { description, data }]) => {
      return { type, event_category: categoryOf(type), description, data }
    })
    return [...CATALOG, ...DOCUMENT_CATALOG, ...own.sort((one, other) => (one.type < other.type ? -1 : 1))]
  }

  /** @throws InvalidInputError for a type that nobody has defined */
  async requireKnown(repositories: Repositories, types: readonly string[] | null): Promise<void> {
    const ofHost = (types ?? []).filter((type) => !isBuiltIn(type))
    if (types === null || ofHost.length === 0) return
    const stored = await readTypes(repositories)
    const unknown = ofHost.find((type) => !Object.hasOwn(stored, type))
    if (unknown === undefined) return
    throw new InvalidInputError(
      `eventTypes[${types.indexOf(unknown)}]`,
      `${unknown} is not known: the host's application defines its types by events.define`,
    )
  }

  async #store(type: string, definition: StoredTypes[string]): Promise<void> {
    const isStored = (types: StoredTypes): boolean =>
      Object.hasOwn(types, type) && JSON.stringify(types[type]) === JSON.stringify(definition)
    if (isStored(await this.storage.read(readTypes))) return
    await this.storage.transaction(async (repositories) => {
      const types = { ...(await readTypes(repositories)), [type]: definition }
      if (Object.keys(types).length > MAX_TYPES) {
        throw new LimitReachedError(
          `an engine has at most ${MAX_TYPES} event types of its host: use fewer types`,
          errorReason('limit-of-event-types', { max: MAX_TYPES }),
        )
      }
      await repositories.settings.put(SETTING, JSON.stringify(types))
    })
  }
}

async function readTypes({ settings }: Pick<Repositories, 'settings'>): Promise<StoredTypes> {
  return JSON.parse((await settings.get(SETTING)) ?? '{}') as StoredTypes
}

/** True for a name that a host may give a type. */
function isHostType(type: string): boolean {
  return type.length <= MAX_TYPE_LENGTH && TYPE.test(type) && !RESERVED.includes(categoryOf(type))
}

function requireHostType(type: string): void {
  if (isHostType(type)) return
  const problem = RESERVED.includes(type.split('.')[0] ?? '')
    ? `must not begin with ${RESERVED.join('., ')}.: these are types of the engine`
    : 'must have two parts or more of lower-case letters, digits, _ and - with dots between them, such as order.created'
  throw new InvalidInputError('type', problem)
}

/** A name of a type: one of these, or one that a host may have defined. */
export function typeNameSchema(builtIn: readonly string[]): z.ZodType<string> {
  const list = builtIn.map((type) => JSON.stringify(type)).join(', ')
  const error = `must be one of ${list}, or a type that the host's application has defined`
  return z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : error) })
    .refine((type) => builtIn.includes(type) || isHostType(type), { error })
    .meta({
      description: `One of ${builtIn.join(', ')}, or a type that the host's application has defined`,
      // Typed clients complete the first ones.
      anyOf: [{ type: 'string', enum: [...builtIn] }, { type: 'string' }],
    })
}

/** A type that a destination can name. */
export const NAMED_TYPE: z.ZodType<string> = typeNameSchema(BUILT_IN)
