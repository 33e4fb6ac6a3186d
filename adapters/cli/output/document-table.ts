import type { Document, DocumentReference } from '../../../src/index.js'

/** A document as the table for people shows it. */
export interface DocumentRow {
  /** Context and id, such as `1/7`: commands take it in place of the UUID. */
  readonly document: string
  readonly name: string
  readonly bytes: number
  readonly chunks: number
  readonly status: string
}

export function toDocumentRow(document: Document): DocumentRow {
  const { contextId, id, displayName, size, chunks } = document
  return { document: `${contextId}/${id}`, name: displayName, bytes: size, chunks, status: statusOf(document) }
}

/** @returns for example `completed`, or `failed ERR_NO_TEXT`, also of the version that is to replace the document */
function statusOf(document: Document): string {
  const { completed, replacement } = document
  const status = completed === null ? statusOfVersion(document) : 'completed'
  return replacement === null ? status : `${status}, next ${statusOfVersion(replacement)}`
}

function statusOfVersion({ errorCode, started }: Pick<Document, 'errorCode' | 'started'>): string {
  if (errorCode !== null) return `failed ${errorCode}`
  return started === null ? 'waiting' : 'processing'
}

/** Describes the argument that names a document. */
export const DOCUMENT = 'UUID, or context and id as the list shows them, such as 1/7'

/** @param text a UUID, or a context and an id, such as `1/7` */
export function parseDocument(text: string): DocumentReference {
  const [, contextId, id] = /^(\d{1,15})\/(\d{1,15})$/.exec(text) ?? []
  return contextId === undefined ? text : { contextId: Number(contextId), id: Number(id) }
}
