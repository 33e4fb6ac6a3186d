import type { z } from 'zod'
import type { DocumentReference } from '../../../../src/index.js'
import { idSchema, objectSchema } from '../../../../src/ports/index.js'

interface DocumentPath {
  readonly contextId: number
  readonly docId: number
}

/** The parameters of paths that name a document. */
export const DOCUMENT: z.ZodType<DocumentPath> = objectSchema({ contextId: idSchema(), docId: idSchema() })

/** The document that a path names. */
export function documentOf({ contextId, docId }: DocumentPath): DocumentReference {
  return { contextId, id: docId }
}
