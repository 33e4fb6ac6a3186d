import { z } from 'zod'
import type { DocumentMetadata } from '../../../src/index.js'

/**
 * The schemas of answers. Specification: Resources and their fields. The description uses them, and tests that check
 * answers.
 */

export const id: z.ZodType<number> = z.int().min(1)

export const timestamp: z.ZodType<string> = z.iso.datetime()

export const offset: z.ZodType<number> = z.int().min(0)

export const fraction: z.ZodNumber = z.number().min(0).max(1)

export const pages: z.ZodType<{ readonly first: number; readonly last: number } | null> = z
  .object({ first: z.int().min(1), last: z.int().min(1) })
  .nullable()
  .meta({ description: 'The pages, sheets or slides that the chunk touches; null if the format has none' })

export const headings: z.ZodType<readonly string[]> = z
  .array(z.string())
  .meta({ description: 'The headings above the beginning of the chunk, the outermost first' })

export const metadata: z.ZodType<DocumentMetadata> = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
  .meta({ description: 'The metadata of the document' })

export const emptySchema: z.ZodType = z.object({}).meta({ id: 'Empty' })
