import { z } from 'zod'
import { ERROR_REASON_CODES, type ErrorReason } from '../../../src/index.js'
import type { Answer } from '../route.js'

export const healthSchema: z.ZodType = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    ports: z.record(z.string(), z.string()),
    reasons: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'Health' })

/** A sentence of the server for programs, which can say it in another language. */
export const reasonSchema: z.ZodType<ErrorReason> = z
  .object({
    code: z.enum(ERROR_REASON_CODES).meta({ description: 'Stable: programs may depend on it' }),
    parameters: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .meta({ description: 'The values in the sentence, by name' }),
  })
  .meta({ id: 'ErrorReason' })

const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string().meta({ description: 'Stable: programs may depend on it' }),
})

export const problemSchema: z.ZodType = problem
  .extend({
    field: z.string().optional().meta({ description: 'Path of the field of the input that is not valid' }),
    reason: reasonSchema.optional().meta({ description: '`detail` for programs that say it in another language' }),
  })
  .meta({ id: 'Problem' })

export const tokenProblemSchema: z.ZodType = problem
  .extend({ error: z.string(), error_description: z.string() })
  .meta({ id: 'TokenProblem' })

/** The answer 429 with `Retry-After`. */
export function throttledAnswer(description: string): Answer {
  return { description, schema: problemSchema, contentType: 'application/problem+json', hasRetryAfter: true }
}

/** An answer with a problem document. */
export function problemAnswer(description: string): Answer {
  return { description, schema: problemSchema, contentType: 'application/problem+json' }
}
