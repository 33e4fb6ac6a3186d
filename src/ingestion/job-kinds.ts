/** Turns a document's bytes into searchable chunks. */
export const INGEST_DOCUMENT = 'ingest-document'
/** Removes what is left of a deleted document. */
export const PURGE_DOCUMENT = 'purge-document'
