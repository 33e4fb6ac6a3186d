import { z } from 'zod'
import type { Context } from '../../../src/index.js'
import { id, timestamp } from './fields.js'

export const contextSchema: z.ZodType<Context> = z
  .object({
    id,
    name: z.string(),
    description: z.string().meta({ description: 'System instructions that define its behavior' }),
    caption: z.string(),
    userId: id,
    embeddingModel: z.string(),
    maxSize: z.int().meta({ description: 'The most bytes of all documents together' }),
    topN: z.int(),
    scoreThreshold: z.number(),
    chunkSize: z.int().meta({ description: 'The most tokens of a chunk' }),
    overlap: z.number(),
    toolsJson: z.string().meta({
      description: 'The tools: a JSON array of tool definitions as a string, as it was given; `[]` for none',
    }),
    starterPrompts: z.array(z.string()),
    shareState: z.literal([0, 1]),
    // With a second type, because types made from the description leave out members that have only null.
    deleted: z.null().meta({ type: ['string', 'null'], description: 'Null: no answer has a deleted context' }),
    created: timestamp,
  })
  .meta({ id: 'Context' })
