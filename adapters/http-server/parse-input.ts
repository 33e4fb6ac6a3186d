import { z } from 'zod'
import { InvalidInputError } from '../../src/index.js'
import { validate } from '../../src/ports/index.js'

/** The parameters of a path or a query. All are texts, also numbers and booleans. */
type Texts = Readonly<Record<string, string>>

const INTEGER = /^-?\d{1,17}$/

/**
 * Checks path or query parameters by their schema.
 * @throws InvalidInputError that names the parameter
 */
export function parseParameters(schema: z.ZodType, texts: Texts): unknown {
  const types = typesOf(schema)
  const typed = Object.entries(texts).map(([name, text]) => [name, toType(text, types.get(name))])
  return validate(schema, Object.fromEntries(typed))
}

/** The query of a request. @throws InvalidInputError if a parameter occurs twice */
export function queryOf(request: Request): Texts {
  const query: Record<string, string> = {}
  for (const [name, value] of new URL(request.url).searchParams) {
    if (Object.hasOwn(query, name)) throw new InvalidInputError(name.slice(0, 50), 'must occur only once')
    query[name] = value
  }
  return query
}

function toType(text: string, type: string | undefined): unknown {
  if (type === 'integer' && INTEGER.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

const typesOfSchemas = new WeakMap<z.ZodType, ReadonlyMap<string, string>>()

/** The JSON types of a schema's members. */
function typesOf(schema: z.ZodType): ReadonlyMap<string, string> {
  let types = typesOfSchemas.get(schema)
  if (types === undefined) {
    const { properties = {} } = z.toJSONSchema(schema, { io: 'input' })
    const entries = Object.entries(properties).map(([name, property]): [string, string] => {
      return [name, typeof property === 'object' ? String(property.type) : '']
    })
    types = new Map(entries)
    typesOfSchemas.set(schema, types)
  }
  return types
}
