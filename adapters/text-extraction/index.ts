/** TextExtractor for .pdf, .docx, .doc, .txt, .md and .csv, in processes of their own. */
export { WorkerTextExtractor, type WorkerTextExtractorOptions } from './worker-text-extractor.js'
