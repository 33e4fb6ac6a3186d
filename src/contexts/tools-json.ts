import { z } from 'zod'
import { InvalidInputError } from '../kernel/errors.js'
import { choiceSchema, integerSchema, validate } from '../kernel/validate.js'

const NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

// Only the size of the whole toolsJson is limited. Its texts and lists have no limits of their own.
const TEXT = z.string({ error: requiredOr('a string') })
const LIST = z.array(z.unknown(), { error: requiredOr('an array') })

const PARAMETER = z.looseObject(
  {
    paramName: TEXT.refine((name) => name.trim() !== '', { error: 'must not be empty' }),
    type: choiceSchema(['string', 'integer', 'boolean']),
    required: z.boolean({ error: requiredOr('true or false') }),
    description: TEXT,
  },
  { error: requiredOr('an object') },
)

const TOOL = z.looseObject(
  {
    id: integerSchema(),
    name: TEXT.refine((name) => NAME_PATTERN.test(name), {
      error:
        'must be a function name: letters, digits and underscores, not starting with a digit, at most 64 characters',
    }),
    description: TEXT,
    action: choiceSchema(['Run Agent']),
    agentId: integerSchema(),
    parameters: LIST.optional(),
  },
  { error: requiredOr('an object') },
)

/**
 * Checks the tools of a context. Members that the specification does not name are allowed. Specification: Tool
 * definition.
 *
 * @param toolsJson a JSON array of tool definitions, as a string
 * @throws InvalidInputError that names the element and the field, such as `toolsJson[0].parameters[1].type`
 */
export function validateToolsJson(toolsJson: string): void {
  const tools = validateEach(TOOL, validate(LIST, parse(toolsJson), 'toolsJson'), 'toolsJson')
  const parameters = tools.map(({ parameters: list = [] }, index) =>
    validateEach(PARAMETER, list, `toolsJson[${index}].parameters`),
  )
  requireUnique(tools, 'toolsJson', 'id')
  requireUnique(tools, 'toolsJson', 'name')
  parameters.forEach((list, index) => {
    requireUnique(list, `toolsJson[${index}].parameters`, 'paramName')
  })
}

/** Checks one item at a time, so that a list of 100,000 invalid items ends at the first one. */
function validateEach<T>(schema: z.ZodType<T>, items: readonly unknown[], path: string): T[] {
  return items.map((item, index) => validate(schema, item, `${path}[${index}]`))
}

function parse(toolsJson: string): unknown {
  try {
    return JSON.parse(toolsJson)
  } catch (error) {
    throw new InvalidInputError('toolsJson', 'must be a JSON array as a string; it is not valid JSON', { cause: error })
  }
}

function requireUnique<Member extends string>(
  items: readonly Readonly<Record<Member, unknown>>[],
  path: string,
  member: Member,
): void {
  const seen = new Map<unknown, number>()
  items.forEach((item, index) => {
    const first = seen.get(item[member])
    if (first !== undefined) {
      throw new InvalidInputError(`${path}[${index}].${member}`, `must be unique; ${path}[${first}] has the same`)
    }
    seen.set(item[member], index)
  })
}

function requiredOr(description: string) {
  return (issue: { readonly input?: unknown }): string =>
    issue.input === undefined ? 'is required' : `must be ${description}`
}
