/** TextExtractor for .pdf, .docx, .doc, .txt, .md and .csv, in worker threads. */
export { WorkerTextExtractor, type WorkerTextExtractorOptions } from './worker-text-extractor.js'
