import { z } from 'zod'

/** Members of a request besides the engine's own, as JSON. */
export type RequestBody = Readonly<Record<string, unknown>>

/** The longest body, in characters of its JSON. */
const MAX_CHARACTERS = 10_000
/** The deepest body: an object in an object in an object in the body. */
const MAX_DEPTH = 4

/** Checks a body and copies it, so that a later change of the host's object changes no request. */
export const REQUEST_BODY: z.ZodType<RequestBody> = z
  .custom<RequestBody>((value) => isObject(value) && isJson(value, MAX_DEPTH), {
    error: "must be an object of JSON values, such as { input_type: 'query' }",
  })
  .superRefine((body, issues) => {
    if (Object.hasOwn(body, 'input')) {
      issues.addIssue({ code: 'custom', path: ['input'], message: 'must not be replaced: it has the texts' })
    } else if (JSON.stringify(body).length > MAX_CHARACTERS) {
      issues.addIssue({ code: 'custom', message: `must have at most ${MAX_CHARACTERS} characters as JSON` })
    }
  })
  .transform((body) => JSON.parse(JSON.stringify(body)) as RequestBody)

/** Returns a body as JSON that is the same for each order of its members. */
export function canonicalJson(body: RequestBody): string {
  return JSON.stringify(body, (_name, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}

function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (depth === 0 || !(Array.isArray(value) || isObject(value))) return false
  return Object.values(value).every((member) => isJson(member, depth - 1))
}

/** True for an object of `{ … }`, also of another realm. */
function isObject(value: unknown): value is RequestBody {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
