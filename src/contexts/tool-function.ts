import { InvalidInputError } from '../kernel/errors.js'
import { isRecord } from '../kernel/validate.js'
import type { Tool, ToolParameter } from './tool.js'

/** A value that a model gives for a parameter. */
export type ToolValue = string | number | boolean

/** JSON Schema of the arguments of a tool: the part that the APIs of all models accept. */
export interface ToolArgumentsSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, { readonly type: ToolParameter['type']; readonly description: string }>>
  readonly required: readonly string[]
  readonly additionalProperties: false
}

/** A tool as a function, for the API of a model. */
export interface ToolFunction {
  /** The tool's name: letters, digits and underscores, at most 64, and unique within the context. */
  readonly name: string
  readonly description: string
  readonly parameters: ToolArgumentsSchema
}

/** A tool in the form of the chat completions of OpenAI and of servers with its protocol. */
export interface ChatTool {
  readonly type: 'function'
  readonly function: ToolFunction
}

/** A model's call of a tool, checked: the agent to run, and the values for it. */
export interface ToolCall {
  readonly tool: Tool
  /** Id of the agent to run. */
  readonly agentId: number
  /** The values by `paramName`. A parameter without a value is missing. */
  readonly parameters: Readonly<Record<string, ToolValue>>
}

/** A model's call of a tool, as its API gives it. */
export interface FunctionCall {
  readonly name: string
  /** An object, or its JSON: OpenAI sends JSON. An empty text counts as no arguments. */
  readonly arguments: unknown
}

/** The keys that the APIs of all models accept for an argument. */
const LEGAL_KEY = /^[A-Za-z0-9_-]{1,64}$/
const MAX_KEY_LENGTH = 56

/**
 * Turns a tool into a function for the API of a model. The name stays, for `toolsJson` allows only names that are legal
 * there. A parameter whose name is not legal as a key gets another key, and its description begins with its name;
 * {@link readToolCall} turns the key back.
 *
 * - Chat completions: `{ type: 'function', function: toJsonSchema(tool) }`; see {@link toChatTool}.
 * - OpenAI responses: `{ type: 'function', ...toJsonSchema(tool) }`.
 * - Anthropic: `name`, `description`, and `parameters` as `input_schema`.
 */
export function toJsonSchema(tool: Tool): ToolFunction {
  const keyed = keyedParameters(tool)
  return {
    name: tool.name,
    description: tool.description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        keyed.map(({ key, parameter: { paramName, type, description } }) => [
          key,
          { type, description: key === paramName ? description : `${paramName}: ${description}` },
        ]),
      ),
      required: keyed.filter(({ parameter }) => parameter.required).map(({ key }) => key),
      additionalProperties: false,
    },
  }
}

/** Turns a tool into the form of OpenAI's chat completions: see {@link toJsonSchema}. */
export function toChatTool(tool: Tool): ChatTool {
  return { type: 'function', function: toJsonSchema(tool) }
}

/**
 * Reads a model's call of a tool: finds the tool, checks the arguments, and names them by `paramName`. Null counts as no
 * value for a parameter that is not required.
 *
 * @param tools the tools that the model was given
 * @throws InvalidInputError `ERR_INVALID_INPUT` for an unknown tool, and for arguments that do not fit it. The message
 *   says what is wrong: give it to the model as the result of its call, so that it calls again
 */
export function readToolCall(tools: readonly Tool[], call: FunctionCall): ToolCall {
  const tool = tools.find(({ name }) => name === call.name)
  if (tool === undefined) {
    const known = tools.map(({ name }) => name).join(', ')
    throw new InvalidInputError('name', `unknown tool "${call.name}"; expected ${known === '' ? 'none' : known}`)
  }
  const given = argumentsOf(call.arguments)
  const keyed = keyedParameters(tool)
  const keys = new Set(keyed.map(({ key }) => key))
  const unknown = Object.keys(given).find((name) => !keys.has(name))
  if (unknown !== undefined) {
    const known = [...keys].join(', ')
    throw new InvalidInputError(
      `arguments.${unknown}`,
      `unknown argument of ${tool.name}; expected ${known === '' ? 'none' : `one of ${known}`}`,
    )
  }
  const values = keyed.flatMap(({ key, parameter }): [string, ToolValue][] => {
    const value = Object.hasOwn(given, key) ? given[key] : undefined
    if (value === undefined || (value === null && !parameter.required)) {
      if (parameter.required) throw new InvalidInputError(`arguments.${key}`, 'is required')
      return []
    }
    if (isOfType(value, parameter.type)) return [[parameter.paramName, value]]
    throw new InvalidInputError(`arguments.${key}`, `must be ${DESCRIPTIONS[parameter.type]}`)
  })
  return { tool, agentId: tool.agentId, parameters: Object.fromEntries(values) }
}

const DESCRIPTIONS: Readonly<Record<ToolParameter['type'], string>> = {
  string: 'a string',
  integer: 'an integer',
  boolean: 'true or false',
}

function isOfType(value: unknown, type: ToolParameter['type']): value is ToolValue {
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
}

function argumentsOf(given: unknown): Readonly<Record<string, unknown>> {
  const value = typeof given === 'string' ? parseArguments(given) : (given ?? {})
  if (isRecord(value)) return value
  throw new InvalidInputError('arguments', 'must be an object, or the JSON of an object')
}

function parseArguments(json: string): unknown {
  if (json.trim() === '') return {}
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new InvalidInputError('arguments', 'must be the JSON of an object; it is not valid JSON', { cause })
  }
}

/** The parameters of a tool with their keys in the schema: the same for every reader of the same tool. */
function keyedParameters({ parameters = [] }: Tool): readonly { key: string; parameter: ToolParameter }[] {
  // A legal name keeps its key, wherever it stands in the list.
  const used = new Set(parameters.map(({ paramName }) => paramName).filter(isLegalKey))
  const repeats = new Map<string, number>()
  return parameters.map((parameter, index) => {
    if (isLegalKey(parameter.paramName)) return { key: parameter.paramName, parameter }
    const readable = readableKey(parameter.paramName) || `parameter_${index + 1}`
    let repeat = repeats.get(readable) ?? 1
    let key = repeat === 1 ? readable : `${readable}_${repeat}`
    for (; used.has(key) || !isLegalKey(key); key = `${readable}_${repeat}`) repeat += 1
    repeats.set(readable, repeat)
    used.add(key)
    return { key, parameter }
  })
}

/** Every object seems to have the members of `Object.prototype`, such as `constructor`: validators would misread them. */
function isLegalKey(name: string): boolean {
  return LEGAL_KEY.test(name) && !(name in Object.prototype)
}

/** @returns the letters and digits of ASCII in a name, joined by underscores; empty if it has none */
function readableKey(name: string): string {
  const plain = name.slice(0, 1_000).normalize('NFKD').replace(/\p{M}/gu, '')
  const words = plain.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return words.join('_').slice(0, MAX_KEY_LENGTH)
}
