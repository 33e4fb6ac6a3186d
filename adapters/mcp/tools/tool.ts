import type { Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Context } from '../../../src/index.js'
import { validate } from '../../../src/ports/index.js'
import type { OfferedContexts } from '../offered-contexts.js'
import type { SessionSource } from '../session-source.js'

/** The parts that a tool works with. */
interface ToolCall {
  readonly sessions: SessionSource
  readonly offered: OfferedContexts
  readonly signal: AbortSignal
}

/** The answer of a tool, for programs and for models. */
interface ToolAnswer {
  readonly structured: Readonly<Record<string, unknown>>
  readonly text: string
}

/** A tool that only reads. */
export interface ReadingTool {
  readonly name: string
  /** @param only the only offered context, if there is one: then no argument has to name it */
  describe(only: Context | undefined): Tool
  /** @throws the errors of the engine; InvalidInputError for invalid arguments */
  call(input: unknown, call: ToolCall): Promise<ToolAnswer>
}

interface ToolDefinition<Input, Output> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodType<Input>
  readonly output: z.ZodType<Output>
  /** The argument that names a context. It is left out if there is only one. */
  readonly contextArgument?: string
  /** @param text the answer for models */
  readonly call: (input: Input, call: ToolCall) => Promise<{ readonly output: Output; readonly text: string }>
}

export function defineTool<Input, Output extends object>(definition: ToolDefinition<Input, Output>): ReadingTool {
  const { name, title, description, input, output, contextArgument, call } = definition
  const [inputSchema, outputSchema] = [toJsonSchema(input, 'input'), toJsonSchema(output, 'output')]
  return {
    name,
    describe: (only) => ({
      name,
      title,
      // Without the name of the context: another user may have chosen it, and models obey descriptions of tools.
      description,
      inputSchema: only === undefined ? inputSchema : withoutMember(inputSchema, contextArgument),
      outputSchema,
      annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    }),
    call: async (given, toolCall) => {
      const answer = await call(validate(input, given ?? {}), toolCall)
      return { structured: answer.output as Readonly<Record<string, unknown>>, text: answer.text }
    },
  }
}

type ObjectSchema = Tool['inputSchema']

/** Without the version of JSON Schema: older clients know only another one, and the schemas use what both have. */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { $schema: _, ...object } = z.toJSONSchema(schema, { io })
  return object as unknown as ObjectSchema
}

function withoutMember(schema: ObjectSchema, member: string | undefined): ObjectSchema {
  if (member === undefined || schema.properties === undefined) return schema
  const properties = Object.entries(schema.properties).filter(([name]) => name !== member)
  const required = schema.required?.filter((name) => name !== member)
  return { ...schema, properties: Object.fromEntries(properties), ...(required && { required }) }
}
