import { ExtractionError, type TextFormat } from '../../src/ports/index.js'
import { type Content, contentOf } from './content.js'
import { HOW_TO_RECOGNIZE, PICTURE_FORMATS } from './picture-formats.js'
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
  ...Object.fromEntries(PICTURE_FORMATS.map(({ extension, kind }) => [extension, [kind]])),
}

/**
 * True if the extension of a name, in any case, is that of a format that this extractor reads.
 * @param readsPictures true if the extractor has a recogniser of text
 */
export function isReadableName(fileName: string, readsPictures = false): boolean {
  return (
    formatIn(FORMATS, fileName) !== undefined || (readsPictures && formatIn(PICTURE_FORMATS, fileName) !== undefined)
  )
}

/** The ends of the names of code that a program made short. */
const MINIFIED = ['.min.js', '.min.css']

/** True for minified code. Folders leave it out: another file says the same for readers. */
export function isMinified(fileName: string): boolean {
  const lower = fileName.toLowerCase()
  return MINIFIED.some((end) => lower.endsWith(end))
}

function formatIn<Format extends TextFormat>(formats: readonly Format[], fileName: string): Format | undefined {
  const lower = fileName.toLowerCase()
  return formats.find(({ extension }) => lower.endsWith(extension))
}

/** The facts that decide about a format, besides the name and the bytes. */
export interface FormatHints {
  /** The type that the upload says. `text/plain` counts for a name with no known extension. */
  readonly contentType?: string | undefined
  /** True if the extractor has a recogniser of text. */
  readonly readsPictures: boolean
}

/** The format for the extension of a name. @throws ExtractionError `ERR_UNSUPPORTED_FORMAT` */
export function formatOf(fileName: string, { contentType, readsPictures }: FormatHints): TextFormat {
  const format = formatIn(FORMATS, fileName)
  if (format !== undefined) return format
  const picture = formatIn(PICTURE_FORMATS, fileName)
  if (picture !== undefined && readsPictures) return { extension: picture.extension, contentType: picture.contentType }
  if (picture !== undefined) {
    throw new ExtractionError(
      'ERR_UNSUPPORTED_FORMAT',
      `The file is a picture, and text in pictures is not read: ${HOW_TO_RECOGNIZE}`,
    )
  }
  if (contentType === PLAIN_TEXT.contentType) return PLAIN_TEXT
  const named = FORMATS.filter(({ isCode }) => isCode !== true)
  const known = [...named, ...(readsPictures ? PICTURE_FORMATS : [])].map(({ extension }) => extension)
  throw new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    `The name must end with one of ${known.join(', ')}, or as source code does, such as .py`,
  )
}

/** Checks that the first bytes of a file fit its name. @throws ExtractionError */
export async function identify(fileName: string, head: Uint8Array, hints: FormatHints): Promise<TextFormat> {
  const format = formatOf(fileName, hints)
  if (head.length === 0) throw new ExtractionError('ERR_EMPTY_FILE', 'The file is empty')
  const content = await contentOf(head)
  if ((ALLOWED[format.extension] ?? TEXT_KINDS).includes(content.kind)) return format
  const isPicture = formatIn(PICTURE_FORMATS, content.readAs ?? '') !== undefined
  if (content.readAs !== undefined && (hints.readsPictures || !isPicture)) {
    throw wrongType(content.name, format.extension, content.readAs)
  }
  throw new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    `The content is ${content.name}, which is not supported, although the ${saidBy(format.extension)}: save it as .docx, .pdf or .txt`,
  )
}
