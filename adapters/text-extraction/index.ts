/** TextExtractor for documents, tables, slides, mails, books, web pages, texts and source code, in separate processes. */
export { isMinified, isReadableName } from './formats.js'
export { WorkerTextExtractor, type WorkerTextExtractorOptions } from './worker-text-extractor.js'
