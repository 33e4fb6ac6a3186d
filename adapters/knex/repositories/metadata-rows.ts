import { type DocumentMetadata, itemsOf, type MetadataScalar } from '../../../src/ports/index.js'
import type { Row } from '../tables.js'
import { inParts, type Session } from './knex-repository.js'

/** Characters of a string in the indexed column. With four bytes each, an entry of an index of PostgreSQL has room. */
export const INDEXED_CHARACTERS = 200

/** Writes the metadata of a document, in the transaction that writes the document. Existing rows must be removed first. */
export async function insertMetadata(
  { knex, name }: Session,
  { id, contextId }: { readonly id: number; readonly contextId: number },
  metadata: DocumentMetadata,
): Promise<void> {
  const rows = Object.entries(metadata).flatMap(([key, value]) => {
    const columns = typeof value === 'object' && value.length === 0 ? [EMPTY_LIST] : itemsOf(value).map(toColumns)
    return columns.map((column) => ({ document_id: id, context_id: contextId, key, ...column }))
  })
  for (const part of inParts(rows)) await knex(name('metadata')).insert(part)
}

/** Removes the metadata of documents, which are few enough for one statement. */
export async function removeMetadata({ knex, name }: Session, documentIds: readonly number[]): Promise<void> {
  await knex(name('metadata')).whereIn('document_id', documentIds).delete()
}

const EMPTY_LIST: Row = { type: 'list', text: null, long_text: null, number: null }

function toColumns(item: MetadataScalar): Row {
  const type = typeof item
  if (typeof item !== 'string') return { type, text: null, long_text: null, number: Number(item) }
  const text = beginningOf(item)
  return { type, text, long_text: text === item ? null : item, number: null }
}

/** The part of a string in the indexed column. */
export function beginningOf(text: string): string {
  return isShort(text)
    ? text
    : Array.from(text.slice(0, INDEXED_CHARACTERS * 2))
        .slice(0, INDEXED_CHARACTERS)
        .join('')
}

/** True if no longer string can have this one as its beginning in the indexed column. */
export function isShort(text: string): boolean {
  // Both databases count code points. No string has more of them than UTF-16 units.
  return (
    text.length < INDEXED_CHARACTERS || Array.from(text.slice(0, INDEXED_CHARACTERS * 2)).length < INDEXED_CHARACTERS
  )
}
