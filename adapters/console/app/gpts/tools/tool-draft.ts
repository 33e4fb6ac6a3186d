/** The types that a parameter of a tool may have. */
export const PARAMETER_TYPES = ['string', 'integer', 'boolean'] as const

type ParameterType = (typeof PARAMETER_TYPES)[number]

/** The one kind of tools that the specification has. */
export const RUN_AGENT = 'Run Agent'

/** A parameter while the user edits it. */
export interface ParameterDraft {
  /** Tells the parameters of the page apart. */
  readonly key: string
  readonly paramName: string
  readonly type: ParameterType
  readonly required: boolean
  readonly description: string
  /** Members that the form does not know. The server keeps them. */
  readonly rest: Readonly<Record<string, unknown>>
}

/** A tool while the user edits it. */
export interface ToolDraft {
  readonly key: string
  /** NaN for an empty field, as in `agentId`. */
  readonly id: number
  readonly name: string
  readonly description: string
  readonly agentId: number
  readonly parameters: readonly ParameterDraft[]
  readonly rest: Readonly<Record<string, unknown>>
}

/** A fault of a text: its place, such as `[0].agentId`, and what it must be. */
export interface ToolsProblem {
  readonly path: string
  readonly kind: 'json' | 'array' | 'object' | 'text' | 'integer' | 'boolean' | 'type' | 'action'
}

let lastKey = 0

export function newKey(): string {
  lastKey += 1
  return `k${lastKey}`
}

/** A tool with the next free id. */
export function newTool(tools: readonly ToolDraft[]): ToolDraft {
  const ids = tools.map(({ id }) => id).filter(Number.isSafeInteger)
  return {
    key: newKey(),
    id: Math.max(0, ...ids) + 1,
    name: '',
    description: '',
    agentId: Number.NaN,
    parameters: [],
    rest: {},
  }
}

export function newParameter(): ParameterDraft {
  return { key: newKey(), paramName: '', type: 'string', required: true, description: '', rest: {} }
}

/** The JSON of tools, with line breaks for people. Numbers that are missing are null. */
export function toToolsJson(tools: readonly ToolDraft[]): string {
  return JSON.stringify(
    tools.map(({ id, name, description, agentId, parameters, rest }) => ({
      ...rest,
      id,
      name,
      description,
      action: RUN_AGENT,
      agentId,
      parameters: parameters.map(({ paramName, type, required, description: text, rest: others }) => ({
        ...others,
        paramName,
        type,
        required,
        description: text,
      })),
    })),
    null,
    2,
  )
}

/** Reads the JSON of tools. It checks only what a form cannot show: see `checkGpt` for the other rules. */
export function readTools(json: string): { readonly tools: readonly ToolDraft[] } | { readonly problem: ToolsProblem } {
  let value: unknown
  try {
    value = json.trim() === '' ? [] : JSON.parse(json)
  } catch {
    return { problem: { path: '', kind: 'json' } }
  }
  try {
    return { tools: arrayIn(value, '').map((item, index) => toolIn(item, `[${index}]`)) }
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.problem }
    throw error
  }
}

class ProblemError extends Error {
  readonly problem: ToolsProblem

  constructor(path: string, kind: ToolsProblem['kind']) {
    super(kind)
    this.problem = { path, kind }
  }
}

function toolIn(value: unknown, path: string): ToolDraft {
  const { id, name, description, action, agentId, parameters, ...rest } = objectIn(value, path)
  if (action !== RUN_AGENT) throw new ProblemError(`${path}.action`, 'action')
  return {
    key: newKey(),
    id: integerIn(id, `${path}.id`),
    name: textIn(name, `${path}.name`),
    description: textIn(description, `${path}.description`),
    agentId: integerIn(agentId, `${path}.agentId`),
    parameters: arrayIn(parameters ?? [], `${path}.parameters`).map((item, index) =>
      parameterIn(item, `${path}.parameters[${index}]`),
    ),
    rest,
  }
}

function parameterIn(value: unknown, path: string): ParameterDraft {
  const { paramName, type, required, description, ...rest } = objectIn(value, path)
  const known = PARAMETER_TYPES.find((each) => each === type)
  if (known === undefined) throw new ProblemError(`${path}.type`, 'type')
  if (typeof required !== 'boolean') throw new ProblemError(`${path}.required`, 'boolean')
  return {
    key: newKey(),
    paramName: textIn(paramName, `${path}.paramName`),
    type: known,
    required,
    description: textIn(description, `${path}.description`),
    rest,
  }
}

function arrayIn(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ProblemError(path, 'array')
  return value
}

function objectIn(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ProblemError(path, 'object')
  return value as Readonly<Record<string, unknown>>
}

function textIn(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new ProblemError(path, 'text')
  return value
}

/** Null is an empty field of the form. */
function integerIn(value: unknown, path: string): number {
  if (value === null) return Number.NaN
  if (!Number.isSafeInteger(value)) throw new ProblemError(path, 'integer')
  return value as number
}
