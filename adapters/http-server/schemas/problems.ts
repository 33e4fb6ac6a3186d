import { z } from 'zod'
import type { Answer } from '../route.js'

export const healthSchema: z.ZodType = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    ports: z.record(z.string(), z.string()),
    reasons: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'Health' })

const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string().meta({ description: 'Stable: programs may depend on it' }),
})

export const problemSchema: z.ZodType = problem.meta({ id: 'Problem' })

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
