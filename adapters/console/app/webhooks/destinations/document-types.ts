/** The types of documents that the catalog has. A destination gets them only if it names them. */
export const DOCUMENT_TYPES: readonly string[] = ['document.completed', 'document.failed', 'document.deleted']
