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

type NullableText = z.ZodNullable<z.ZodString>

/** The fields of a failure: a sentence, and its code for programs. */
export function failureFields(description: string): { readonly error: NullableText; readonly errorCode: NullableText } {
  return {
    error: z.string().nullable().meta({ description }),
    errorCode: z.string().nullable().meta({ description: 'The code at the end of `error`' }),
  }
}

/** The fields of a wait. @param waits the end of a sentence about the subject that waits and its server */
export function waitFields(waits: string): { readonly waiting: NullableText; readonly waitingCode: NullableText } {
  const description = `Null, or one sentence that ends with the error code: ${waits}, or a disk is full or read-only`
  return {
    waiting: z.string().nullable().meta({ description }),
    waitingCode: z.string().nullable().meta({ description: 'The code at the end of `waiting`' }),
  }
}
