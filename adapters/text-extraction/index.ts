/** TextExtractor for .pdf, .docx, .doc, .txt, .md and .csv, in separate processes. */
export { WorkerTextExtractor, type WorkerTextExtractorOptions } from './worker-text-extractor.js'
