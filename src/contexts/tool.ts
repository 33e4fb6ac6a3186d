import { z } from 'zod'
import { errorReason, InvalidInputError } from '../kernel/errors.js'
import { choiceSchema, EMPTY, integerSchema, refusal, ruleProblem, validate } from '../kernel/validate.js'

/** The types that a parameter of a tool may have. Specification: Tool definition. */
const PARAMETER_TYPES = ['string', 'integer', 'boolean'] as const

/** A parameter of a tool. Specification: Tool definition. */
export interface ToolParameter {
  /** The name under which the agent gets the value: not blank, and unique within the tool. */
  readonly paramName: string
  readonly type: (typeof PARAMETER_TYPES)[number]
  /** True if the model must give a value. */
  readonly required: boolean
  /** Tells the model what to give. */
  readonly description: string
}

/** A tool that runs an agent of the host's agent platform. Specification: Tool definition. */
export interface RunAgentTool {
  readonly action: 'Run Agent'
  /** Unique within the context. */
  readonly id: number
  /** Name of the function for the model: `^[A-Za-z_][A-Za-z0-9_]{0,63}$`, unique within the context. */
  readonly name: string
  /** Tells the model when and how to use the tool. */
  readonly description: string
  /** Id of the agent to run. */
  readonly agentId: number
  /** Default: none. */
  readonly parameters?: readonly ToolParameter[] | undefined
}

/**
 * A tool of a context: an element of the array in `toolsJson`. `action` tells the kinds apart; the specification has one.
 * The engine keeps members that are not named here as they are. Specification: Tool definition.
 */
export type Tool = RunAgentTool

/**
 * Reads the tools of a context.
 *
 * @param context a context, or any object with a `toolsJson`
 * @returns the tools in their order; members that {@link Tool} does not name are there too
 * @throws InvalidInputError `ERR_INVALID_INPUT` that names the element and the field, if the array does not come from
 *   the engine and is not valid
 */
export function toolsOf(context: { readonly toolsJson: string }): readonly Tool[] {
  return parseTools(context.toolsJson)
}

/** As {@link toolsOf}, for a context of the storage: the engine checked its tools before it stored them. */
export function storedToolsOf(context: { readonly toolsJson: string }): readonly Tool[] {
  return JSON.parse(context.toolsJson) as readonly Tool[]
}

const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

// Only the size of the whole toolsJson is limited. Its texts and lists have no limits of their own.
const TEXT = z.string({ error: requiredOr('a string') })
const LIST = z.array(z.unknown(), { error: requiredOr('an array') })

const PARAMETER = z.looseObject(
  {
    paramName: TEXT.refine((name) => name.trim() !== '', refusal(EMPTY)),
    type: choiceSchema(PARAMETER_TYPES),
    required: z.boolean({ error: requiredOr('true or false') }),
    description: TEXT,
  },
  { error: requiredOr('an object') },
)

const NO_FUNCTION_NAME = ruleProblem(
  'must be a function name: letters, digits and underscores, not starting with a digit, at most 64 characters',
  'not-a-function-name',
)

const TOOL = z.looseObject(
  {
    id: integerSchema(),
    name: TEXT.refine((name) => FUNCTION_NAME.test(name), refusal(NO_FUNCTION_NAME)),
    description: TEXT,
    action: choiceSchema(['Run Agent']),
    agentId: integerSchema(),
    parameters: LIST.optional(),
  },
  { error: requiredOr('an object') },
)

/**
 * Parses and checks the tools of a context. Members that the specification does not name are allowed. Specification: Tool
 * definition.
 *
 * @param toolsJson a JSON array of tool definitions, as a string
 * @throws InvalidInputError that names the element and the field, such as `toolsJson[0].parameters[1].type`
 */
export function parseTools(toolsJson: string): readonly Tool[] {
  const tools = validateEach(TOOL, validate(LIST, parseJson(toolsJson), 'toolsJson'), 'toolsJson')
  const parameters = tools.map(({ parameters: list }, index) =>
    list === undefined ? undefined : validateEach(PARAMETER, list, `toolsJson[${index}].parameters`),
  )
  requireUnique(tools, 'toolsJson', 'id')
  requireUnique(tools, 'toolsJson', 'name')
  parameters.forEach((list = [], index) => {
    requireUnique(list, `toolsJson[${index}].parameters`, 'paramName')
  })
  return tools.map(({ parameters: _, ...tool }, index) => {
    const list = parameters[index]
    return { ...tool, ...(list && { parameters: list }) }
  })
}

/** Checks one item at a time, so that a list of 100,000 invalid items ends at the first one. */
function validateEach<T>(schema: z.ZodType<T>, items: readonly unknown[], path: string): T[] {
  return items.map((item, index) => validate(schema, item, `${path}[${index}]`))
}

function parseJson(toolsJson: string): unknown {
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
      throw new InvalidInputError(`${path}[${index}].${member}`, `must be unique; ${path}[${first}] has the same`, {
        reason: errorReason('not-unique', { same: `${path}[${first}]` }),
      })
    }
    seen.set(item[member], index)
  })
}

function requiredOr(description: string) {
  return (issue: { readonly input?: unknown }): string =>
    issue.input === undefined ? 'is required' : `must be ${description}`
}
