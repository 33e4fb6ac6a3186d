import { z } from 'zod'
import { readToolCall, type Tool, type ToolCall, type ToolValue, toJsonSchema, toolsOf } from '../../src/index.js'
import type { AiTool } from './ai-tool.js'

/** An agent to run, with the values that the model gave. */
export interface AgentRun extends ToolCall {
  /** Aborted with the whole generation. */
  readonly signal: AbortSignal | undefined
}

/** Runs an agent of the host's agent platform, and returns what the model should read of its result. */
export type RunAgent<Output> = (run: AgentRun) => Promise<Output>

const TYPES = { string: z.string(), integer: z.int(), boolean: z.boolean() } as const

/**
 * Makes the tools of a context for the AI SDK, by their names.
 *
 * @param context a context, or any object with a `toolsJson`
 * @param runAgent runs the agent of a tool. The SDK gives the model the message of its error
 * @throws InvalidInputError if the `toolsJson` does not come from the engine and is not valid
 */
export function agentTools<Output>(
  context: { readonly toolsJson: string },
  runAgent: RunAgent<Output>,
): Record<string, AiTool<Record<string, ToolValue>, Output>> {
  const tools = toolsOf(context)
  return Object.fromEntries(
    tools.map((tool) => {
      const execute: AiTool<Record<string, ToolValue>, Output>['execute'] = async (input, { abortSignal } = {}) => {
        return await runAgent({ ...readToolCall([tool], { name: tool.name, arguments: input }), signal: abortSignal })
      }
      return [tool.name, { description: tool.description, inputSchema: inputSchemaOf(tool), execute }]
    }),
  )
}

function inputSchemaOf(tool: Tool): z.ZodType<Record<string, ToolValue>> {
  const { properties, required } = toJsonSchema(tool).parameters
  const members = Object.entries(properties).map(([key, { type, description }]) => {
    const schema = TYPES[type].describe(description)
    return [key, required.includes(key) ? schema : schema.optional()] as const
  })
  return z.strictObject(Object.fromEntries(members)) as z.ZodType as z.ZodType<Record<string, ToolValue>>
}
