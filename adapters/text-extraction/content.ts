import { type PictureKind, pictureKindOf } from './picture-formats.js'
import { type ReadableZip, ZIPS, type ZipKind, zipKindOfType } from './zip-kinds.js'

type TextKind = 'text' | 'html' | 'xml' | 'mime' | 'markup' | 'rtf'

/** The kind of a file according to its first bytes. */
export interface Content {
  readonly kind: 'pdf' | ReadableZip | 'ole' | 'zip' | TextKind | PictureKind | 'other' | 'unknown'
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
  [/^\s*\{\\rtf/, { kind: 'rtf', name: 'RTF', readAs: '.rtf' }],
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
  const picture = pictureKindOf(type)
  if (picture !== undefined) return { kind: picture, name: 'an image', readAs: `.${picture}` }
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
