import { z } from 'zod'
import { InvalidInputError } from '../shared/errors.js'
import { choiceSchema, integerSchema, listSchema, textSchema, validate } from '../shared/validate.js'

const NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
const MAX_TOOLS = 1_000
const MAX_TEXT = 100_000

const PARAMETER = z.looseObject(
  {
    paramName: textSchema({ min: 1, max: 255 }),
    type: choiceSchema(['string', 'integer', 'boolean']),
    required: z.boolean({ error: requiredOr('true or false') }),
    description: textSchema({ max: MAX_TEXT }),
  },
  { error: requiredOr('an object') },
)

const TOOL = z.looseObject(
  {
    id: integerSchema(),
    name: textSchema({ max: MAX_TEXT }).refine((name) => NAME_PATTERN.test(name), {
      error:
        'must be a function name: letters, digits and underscores, not beginning with a digit, at most 64 characters',
    }),
    description: textSchema({ max: MAX_TEXT }),
    action: choiceSchema(['Run Agent']),
    agentId: integerSchema(),
    parameters: listSchema(PARAMETER, MAX_TOOLS).optional(),
  },
  { error: requiredOr('an object') },
)

/**
 * Checks a context's tools to the letter of the specification's table of tool
 * definitions. Members that the table does not name are allowed.
 *
 * @param toolsJson a JSON array of tool definitions, as a string
 * @throws InvalidInputError that names element and field: `toolsJson[0].parameters[1].type`
 */
export function validateToolsJson(toolsJson: string): void {
  const tools = validate(listSchema(TOOL, MAX_TOOLS), parse(toolsJson), 'toolsJson')
  requireUnique(tools, 'toolsJson', 'id')
  requireUnique(tools, 'toolsJson', 'name')
  tools.forEach(({ parameters = [] }, index) => {
    requireUnique(parameters, `toolsJson[${index}].parameters`, 'paramName')
  })
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

function requiredOr(what: string) {
  return (issue: { readonly input?: unknown }): string =>
    issue.input === undefined ? 'is required' : `must be ${what}`
}
