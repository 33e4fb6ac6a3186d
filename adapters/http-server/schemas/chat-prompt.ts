import { z } from 'zod'
import type { ChatPrompt } from '../../../src/index.js'
import { fraction, headings, id, metadata, offset, pages } from './fields.js'

const count = z.int().min(0)

const message = z
  .object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() })
  .meta({ id: 'ChatMessage' })

const source = z
  .object({
    number: z.int().min(1).meta({ description: 'The number by which an answer cites the passage' }),
    docId: id,
    uuid: z.uuid().meta({ description: "The document's `fileName`" }),
    originalName: z.string(),
    displayName: z.string(),
    start: offset.meta({ description: "Offset of `content` in the document's text, in UTF-16 units" }),
    end: offset,
    pages,
    headings,
    metadata,
    content: z.string().meta({ description: 'The quoted text: windows of chunks, or chunks, that overlap or touch' }),
    match: z
      .object({ start: offset, end: offset })
      .meta({ description: 'The part of `content` that matched best, in UTF-16 units' }),
    similarity: fraction,
    score: fraction,
  })
  .meta({ id: 'ChatSource' })

const argument = z.object({ type: z.enum(['string', 'integer', 'boolean']), description: z.string() })

const tool = z
  .object({
    type: z.literal('function'),
    function: z.object({
      name: z.string(),
      description: z.string(),
      parameters: z
        .object({
          type: z.literal('object'),
          properties: z.record(z.string(), argument),
          required: z.array(z.string()),
          additionalProperties: z.literal(false),
        })
        .meta({ description: 'JSON Schema of the arguments' }),
    }),
  })
  .meta({ id: 'ChatTool' })

/** The schema of a prompt that is ready to send. */
export const chatPromptSchema: z.ZodType<ChatPrompt> = z
  .object({
    messages: z.array(message).meta({
      description: 'The instructions as `system`, the history, and the question as `user`, after its passages',
    }),
    sources: z.array(source).meta({ description: 'The passages, in the order of their numbers' }),
    tools: z.array(tool).meta({ description: "The context's tools; empty if there are none" }),
    tokens: count.meta({ description: 'Estimated tokens of messages and tools together' }),
    omitted: z.object({ chunks: count, messages: count }).meta({
      description: 'Found chunks of which the prompt has nothing, and messages of the history that it leaves out',
    }),
  })
  .meta({ id: 'ChatPrompt' })
