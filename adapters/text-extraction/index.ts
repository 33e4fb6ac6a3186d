/** TextExtractor for .pdf, .docx, .doc, .xlsx, .pptx, .html, .epub, .eml, .txt, .md, .csv, .json and .jsonl, in separate processes. */
export { isReadableName } from './formats.js'
export { WorkerTextExtractor, type WorkerTextExtractorOptions } from './worker-text-extractor.js'
