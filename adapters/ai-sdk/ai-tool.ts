import type { z } from 'zod'

/** The options of a tool call that the SDK passes and this adapter reads. */
export interface AiToolOptions {
  /** The SDK aborts it with the whole generation. */
  readonly abortSignal?: AbortSignal | undefined
}

/** A tool in the shape of the AI SDK: an element of `tools` of `generateText`, `streamText` and its agents. */
export interface AiTool<Input, Output> {
  readonly description: string
  /** The SDK sends it to the model as JSON Schema, and checks the model's arguments with it. */
  readonly inputSchema: z.ZodType<Input>
  readonly execute: (input: Input, options?: AiToolOptions) => Promise<Output>
}
