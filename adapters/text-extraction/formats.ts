import { ExtractionError, type TextFormat } from '../../src/ports/index.js'

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
]

/**
 * The contents that each extension allows. Word opens .doc and .docx by their content, and so does this extractor.
 * An Office file with a password is an OLE container.
 */
const WORD_KINDS: readonly Content['kind'][] = ['word', 'ole', 'zip']
const TEXT_KINDS: readonly Content['kind'][] = ['text', 'html', 'xml', 'mime', 'markup', 'unknown']
const HTML_KINDS: readonly Content['kind'][] = ['html', 'xml', 'text', 'unknown']
const JSON_KINDS: readonly Content['kind'][] = ['text', 'unknown']
const ALLOWED: Readonly<Record<string, readonly Content['kind'][]>> = {
  // A file with a damaged beginning may still be a PDF.
  '.pdf': ['pdf', 'unknown'],
  '.docx': WORD_KINDS,
  '.doc': WORD_KINDS,
  '.txt': TEXT_KINDS,
  '.md': TEXT_KINDS,
  '.csv': TEXT_KINDS,
  '.html': HTML_KINDS,
  '.htm': HTML_KINDS,
  '.xlsx': ['excel', 'ole', 'zip'],
  '.pptx': ['powerpoint', 'ole', 'zip'],
  '.json': JSON_KINDS,
  '.jsonl': JSON_KINDS,
  '.eml': ['text', 'mime', 'unknown'],
  '.epub': ['epub', 'zip'],
}

/** True if the extension of a name, in any case, is that of a format that this extractor reads. */
export function isReadableName(fileName: string): boolean {
  const lower = fileName.toLowerCase()
  return FORMATS.some(({ extension }) => lower.endsWith(extension))
}

/** The format for the extension of a name. @throws ExtractionError `ERR_UNSUPPORTED_FORMAT` */
export function formatOf(fileName: string): TextFormat {
  const lower = fileName.toLowerCase()
  const format = FORMATS.find(({ extension }) => lower.endsWith(extension))
  if (format !== undefined) return format
  const known = FORMATS.map(({ extension }) => extension).join(', ')
  throw new ExtractionError('ERR_UNSUPPORTED_FORMAT', `The name must end with one of ${known}`)
}

/** Checks that the first bytes of a file fit its name. @throws ExtractionError */
export async function identify(fileName: string, head: Uint8Array): Promise<TextFormat> {
  const format = formatOf(fileName)
  if (head.length === 0) throw new ExtractionError('ERR_EMPTY_FILE', 'The file is empty')
  const content = await contentOf(head)
  if (ALLOWED[format.extension]?.includes(content.kind) === true) return format
  if (content.readAs !== undefined) throw wrongType(content.name, format.extension, content.readAs)
  throw new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    `The content is ${content.name}, which is not supported, although the name ends with ${format.extension}: save it as .docx, .pdf or .txt`,
  )
}

/** The error for a file that can be read under another name. */
function wrongType(name: string, extension: string, readAs: string): ExtractionError {
  return new ExtractionError(
    'ERR_WRONG_TYPE',
    `The content is ${name}, but the name ends with ${extension}: rename the file to ${readAs}`,
  )
}

type TextKind = 'text' | 'html' | 'xml' | 'mime' | 'markup'

/** The kind of a file according to its first bytes. */
interface Content {
  readonly kind: 'pdf' | ReadableZip | 'ole' | 'zip' | TextKind | 'other' | 'unknown'
  /** A name for people, with its article. */
  readonly name: string
  /** The extension under which the content can be read, if it can. */
  readonly readAs?: string
}

const PDF: Content = { kind: 'pdf', name: 'a PDF', readAs: '.pdf' }
const OFFICE: Content = { kind: 'zip', name: 'an Office document', readAs: '.docx' }
const ZIP: Content = { kind: 'zip', name: 'a zip archive' }
/** Word wrote this until 2003, and still does for documents with a password. Other programs use it too. */
const OLE: Content = { kind: 'ole', name: 'an OLE container, as .doc files are', readAs: '.doc' }
const TEXT: Content = { kind: 'text', name: 'plain text', readAs: '.txt' }
const UNKNOWN: Content = { kind: 'unknown', name: 'of an unknown kind' }

const BYTE_ORDER_MARKS: readonly string[] = ['\xef\xbb\xbf', '\xff\xfe', '\xfe\xff', '\x00\x00\xfe\xff']
/** Text for programs. With the extension of a text it is read unchanged. */
const MARKUPS: readonly (readonly [RegExp, Content])[] = [
  [/^\{\\rtf/, { kind: 'markup', name: 'RTF' }],
  [/progid="Word\.Document"|office\/word\/2003\/wordml/, { kind: 'markup', name: 'WordML (XML of Word 2003)' }],
  [/^\s*<\?xml[^]*<pkg:package/, { kind: 'markup', name: 'Word XML' }],
  [
    /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[^])*-->\s*)*(?:<!doctype html|<html)/i,
    { kind: 'html', name: 'HTML', readAs: '.html' },
  ],
  [/^MIME-Version:/i, { kind: 'mime', name: 'a web archive (MHTML)' }],
  [/^\s*<\?xml/, { kind: 'xml', name: 'XML' }],
]
/** Documents from before OLE. A text in some encodings may begin with the same bytes. */
const OLD_FORMATS: readonly (readonly [RegExp, string])[] = [
  [/^\xffWPC/, 'WordPerfect'],
  [/^\xcb[^]{4}\xcb/, 'WordPerfect 4'],
  [/^(?:\xdb\xa5|\x9b\xa5|1\xbe\0)/, 'from Word 2 or earlier'],
]
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^application\/(?:x-elf|x-msdownload|x-mach-binary|vnd\.microsoft\.portable-executable|java-vm|wasm)$/, 'a program'],
  [/^image\//, 'an image'],
  [/^audio\//, 'sound'],
  [/^video\//, 'a film'],
]
const MARKUP_TYPE = /^text\/|^application\/(?:xml|json|rtf)$|\+xml$/

/** @param head the first bytes of the file, 4,096 of them or all */
export async function contentOf(head: Uint8Array): Promise<Content> {
  const ascii = Buffer.from(head).toString('latin1')
  if (ascii.startsWith('\xef\xbb\xbf%PDF-')) return PDF
  if (BYTE_ORDER_MARKS.some((mark) => ascii.startsWith(mark))) return textOf(ascii)
  const { fileTypeFromBuffer } = await import('file-type')
  const type = (await fileTypeFromBuffer(head))?.mime
  if (type === undefined) return contentWithoutSignature(ascii)
  if (type === 'application/pdf') return PDF
  if (type === 'application/x-cfb') return OLE
  const zip = zipKindOfType(type)
  if (zip !== undefined) return contentOfZip(zip)
  if (ascii.startsWith('PK\x03\x04')) return zipOf(ascii)
  // Some texts begin like a binary file ("BM…"), but only binary files also contain zero bytes.
  if (MARKUP_TYPE.test(type) || !ascii.includes('\0')) return textOf(ascii)
  return { kind: 'other', name: NAMES.find(([pattern]) => pattern.test(type))?.[1] ?? type }
}

/** Judges a zip by its first entries. */
function zipOf(ascii: string): Content {
  const kind = ZIPS.find(({ folder }) => folder !== undefined && ascii.includes(folder))
  if (kind !== undefined) return contentOfZip(kind)
  return ascii.includes('[Content_Types].xml') ? OFFICE : ZIP
}

function contentOfZip({ kind, name, readAs }: ZipKind): Content {
  return { kind: kind ?? 'other', name, ...(readAs !== undefined && { readAs }) }
}

function contentWithoutSignature(ascii: string): Content {
  const oldFormat = OLD_FORMATS.find(([pattern]) => pattern.test(ascii))
  if (oldFormat !== undefined) return { kind: 'unknown', name: oldFormat[1] }
  // Some PDFs have other bytes before their header. But a text may be about PDFs, so the kind stays unknown.
  if (/%PDF-\d|\d \d obj\b/.test(ascii)) return { ...PDF, kind: 'unknown' }
  return /[\0-\x06\x10-\x1a]/.test(ascii) ? UNKNOWN : textOf(ascii)
}

/** Finds the markup of a text in any encoding: its signs are ASCII in all common encodings. */
function textOf(ascii: string): Content {
  const plain = ascii.replace(/^[\x80-\xff\0]+/, '').replaceAll('\0', '')
  return MARKUPS.find(([pattern]) => pattern.test(plain))?.[1] ?? TEXT
}

/** The zips that the extractor reads. */
export type ReadableZip = 'word' | 'excel' | 'powerpoint' | 'epub'

/** A kind of file that is a zip. */
interface ZipKind {
  /** Only for a kind that the extractor reads. */
  readonly kind?: ReadableZip
  /** A name for people, with its article. */
  readonly name: string
  /** The extension under which the extractor reads it. */
  readonly readAs?: string
  /** Matches its media type, if the first bytes show one. */
  readonly type?: RegExp
  /** Matches its list of contents or its label. Embedded files of other kinds add their own labels there. */
  readonly label: RegExp
  /** Matches the name of a part that only this kind has. */
  readonly part: RegExp
  /** The folder of its parts, which shows the kind in the first bytes. */
  readonly folder?: string
}

const WORD_ZIP: ZipKind = {
  kind: 'word',
  name: 'a Word document',
  readAs: '.docx',
  type: /wordprocessingml|ms-word\./,
  label: /wordprocessingml\.(?:document|template)\.main\+xml|ms-word\.(?:document|template)\.macroEnabled/i,
  part: /^\/?word\//i,
  folder: 'word/',
}
const OTHER_ZIPS: readonly ZipKind[] = [
  {
    kind: 'excel',
    name: 'an Excel workbook',
    readAs: '.xlsx',
    type: /spreadsheetml|ms-excel/,
    label: /spreadsheetml\.(?:sheet|template)\.main|ms-excel\./i,
    part: /^\/?xl\//i,
    folder: 'xl/',
  },
  {
    kind: 'powerpoint',
    name: 'a PowerPoint presentation',
    readAs: '.pptx',
    type: /presentationml|ms-powerpoint/,
    label: /presentationml\.\w+\.main|ms-powerpoint\./i,
    part: /^\/?ppt\//i,
    folder: 'ppt/',
  },
  { name: 'a Visio drawing', label: /ms-visio\.\w+\.main/i, part: /^visio\//i },
  {
    name: 'an OpenDocument file',
    type: /opendocument/,
    label: /opendocument/i,
    part: /^META-INF\/manifest\.xml$/,
  },
  {
    kind: 'epub',
    name: 'an e-book (EPUB)',
    readAs: '.epub',
    type: /epub/,
    label: /epub/i,
    part: /^META-INF\/container\.xml$/i,
  },
  { name: 'a Java archive', label: /java-archive/i, part: /^META-INF\/MANIFEST\.MF$/ },
  {
    name: 'a Pages, Numbers or Keynote file',
    label: /iwork/i,
    part: /^Index\/.*\.iwa$|^Index\.zip$/,
  },
]
const ZIPS: readonly ZipKind[] = [WORD_ZIP, ...OTHER_ZIPS]

/** The kind of a zip if its media type is certain. */
function zipKindOfType(type: string): ZipKind | undefined {
  return ZIPS.find((kind) => kind.type?.test(type))
}

/** The kind of a zip by all of its names and labels. A Word document remains one with any embedded file. */
function zipKindOf(names: readonly string[], labels: Iterable<string>): ZipKind | undefined {
  const label = [...labels].join('\n')
  const hasPart = ({ part }: ZipKind): boolean => names.some((name) => part.test(name))
  if (WORD_ZIP.label.test(label) || hasPart(WORD_ZIP)) return WORD_ZIP
  return OTHER_ZIPS.find((kind) => kind.label.test(label)) ?? OTHER_ZIPS.find(hasPart)
}

/**
 * Checks that a zip is of the kind that its name says, by all of its names and labels.
 *
 * @param labels the texts of `[Content_Types].xml` and `mimetype`, if the zip has them
 * @throws ExtractionError `ERR_WRONG_TYPE`, `ERR_UNSUPPORTED_FORMAT`
 */
export function checkZipKind(
  extension: string,
  expected: ReadableZip,
  names: readonly string[],
  labels: Iterable<string>,
): void {
  const actual = zipKindOf(names, labels)
  if (actual?.kind === expected) return
  if (actual?.readAs !== undefined) throw wrongType(actual.name, extension, actual.readAs)
  const name = ZIPS.find(({ kind }) => kind === expected)?.name ?? ''
  throw new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    `The content is ${actual?.name ?? 'a zip archive'}, not ${name}: save its text as .docx, .pdf, .csv or .txt`,
  )
}
