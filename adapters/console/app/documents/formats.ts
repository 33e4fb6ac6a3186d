/** The endings of the names of files that can be read. */
export const FORMATS = '.txt .md .pdf .docx .doc .xlsx .pptx .html .eml .epub .csv .json .jsonl'
