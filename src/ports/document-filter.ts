import type { DocumentFilter } from './vector-index.js'

/** Whether a filter lets a document pass; without one, every document does. */
export function passesOf(filter: DocumentFilter | undefined): (documentId: number) => boolean {
  if (filter === undefined) return () => true
  const isOnly = 'only' in filter
  const ids = new Set(isOnly ? filter.only : filter.except)
  return (documentId) => ids.has(documentId) === isOnly
}
