import type { DocumentFilter } from '../../src/ports/index.js'

/** Whether a document passes. */
export function passesOf(filter: DocumentFilter | undefined): (documentId: number) => boolean {
  if (filter === undefined) return () => true
  const ids = new Set('only' in filter ? filter.only : filter.except)
  return (documentId) => ids.has(documentId) === 'only' in filter
}
