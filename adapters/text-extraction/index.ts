/** TextExtractor for .pdf, .docx, .doc, .xlsx, .pptx, .html, .epub, .eml, .txt, .md, .csv, .json and .jsonl, in separate processes. */
export { WorkerTextExtractor, type WorkerTextExtractorOptions } from './worker-text-extractor.js'
