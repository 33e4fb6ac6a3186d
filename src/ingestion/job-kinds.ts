/** Turns a document's bytes into searchable chunks. */
export const INGEST_DOCUMENT = 'ingest-document'
/** Indexes the words of a context's completed documents that lack them, from the stored chunks. Its subject is the context. */
export const INDEX_WORDS = 'index-words'
/** Removes what is left of a deleted document. */
export const PURGE_DOCUMENT = 'purge-document'
