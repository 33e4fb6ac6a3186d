import { ExtractionError, type TextFormat } from '../../src/ports/index.js'
import { type Content, contentOf } from './content.js'
import { CODE_FORMATS, TEXT_FORMATS } from './text-formats.js'
import { saidBy, wrongType } from './wrong-type.js'

/** The formats that this extractor reads, by the extension of the name. */
export const FORMATS: readonly TextFormat[] = [
  { extension: '.pdf', contentType: 'application/pdf' },
  { extension: '.docx', contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
  { extension: '.doc', contentType: 'application/msword' },
  { extension: '.txt', contentType: 'text/plain' },
  { extension: '.md', contentType: 'text/markdown' },
  { extension: '.csv', contentType: 'text/csv' },
  { extension: '.html', contentType: 'text/html' },
  { extension: '.htm', contentType: 'text/html' },
  { extension: '.xlsx', contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
  { extension: '.pptx', contentType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation' },
  { extension: '.json', contentType: 'application/json' },
  { extension: '.jsonl', contentType: 'application/jsonl' },
  { extension: '.eml', contentType: 'message/rfc822' },
  { extension: '.epub', contentType: 'application/epub+zip' },
  { extension: '.odt', contentType: 'application/vnd.oasis.opendocument.text' },
  { extension: '.ods', contentType: 'application/vnd.oasis.opendocument.spreadsheet' },
  { extension: '.odp', contentType: 'application/vnd.oasis.opendocument.presentation' },
  { extension: '.rtf', contentType: 'application/rtf' },
  { extension: '.msg', contentType: 'application/vnd.ms-outlook' },
  ...TEXT_FORMATS,
  ...CODE_FORMATS,
]
/** A text whose name says nothing about its format. */
const PLAIN_TEXT: TextFormat = { extension: '', contentType: 'text/plain' }

/**
 * The contents that each extension allows; all others allow texts. Word opens .doc and .docx by their content, and so
 * does this extractor. An Office file with a password is an OLE container.
 */
const WORD_KINDS: readonly Content['kind'][] = ['word', 'ole', 'zip']
const TEXT_KINDS: readonly Content['kind'][] = ['text', 'html', 'xml', 'mime', 'markup', 'rtf', 'unknown']
const HTML_KINDS: readonly Content['kind'][] = ['html', 'xml', 'text', 'unknown']
const JSON_KINDS: readonly Content['kind'][] = ['text', 'unknown']
const ALLOWED: Readonly<Record<string, readonly Content['kind'][]>> = {
  // A file with a damaged beginning may still be a PDF.
  '.pdf': ['pdf', 'unknown'],
  '.docx': WORD_KINDS,
  '.doc': [...WORD_KINDS, 'rtf'],
  '.html': HTML_KINDS,
  '.htm': HTML_KINDS,
  '.xlsx': ['excel', 'ole', 'zip'],
  '.pptx': ['powerpoint', 'ole', 'zip'],
  '.json': JSON_KINDS,
  '.jsonl': JSON_KINDS,
  '.eml': ['text', 'mime', 'unknown'],
  '.epub': ['epub', 'zip'],
  '.rtf': ['rtf'],
  '.msg': ['ole'],
  '.odt': ['odf-text', 'zip'],
  '.ods': ['odf-spreadsheet', 'zip'],
  '.odp': ['odf-presentation', 'zip'],
}

/** True if the extension of a name, in any case, is that of a format that this extractor reads. */
export function isReadableName(fileName: string): boolean {
  const lower = fileName.toLowerCase()
  return FORMATS.some(({ extension }) => lower.endsWith(extension))
}

/**
 * The format for the extension of a name.
 *
 * @param contentType the type that the upload says. `text/plain` counts for a name with no known extension
 * @throws ExtractionError `ERR_UNSUPPORTED_FORMAT`
 */
export function formatOf(fileName: string, contentType?: string): TextFormat {
  const lower = fileName.toLowerCase()
  const format = FORMATS.find(({ extension }) => lower.endsWith(extension))
  if (format !== undefined) return format
  if (contentType === PLAIN_TEXT.contentType) return PLAIN_TEXT
  const known = FORMATS.filter(({ isCode }) => isCode !== true).map(({ extension }) => extension)
  throw new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    `The name must end with one of ${known.join(', ')}, or as source code does, such as .py`,
  )
}

/** Checks that the first bytes of a file fit its name. @throws ExtractionError */
export async function identify(fileName: string, head: Uint8Array, contentType?: string): Promise<TextFormat> {
  const format = formatOf(fileName, contentType)
  if (head.length === 0) throw new ExtractionError('ERR_EMPTY_FILE', 'The file is empty')
  const content = await contentOf(head)
  if ((ALLOWED[format.extension] ?? TEXT_KINDS).includes(content.kind)) return format
  if (content.readAs !== undefined) throw wrongType(content.name, format.extension, content.readAs)
  throw new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    `The content is ${content.name}, which is not supported, although the ${saidBy(format.extension)}: save it as .docx, .pdf or .txt`,
  )
}
