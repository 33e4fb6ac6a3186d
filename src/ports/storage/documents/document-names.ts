import type { DocumentRecord } from './document-record.js'

/** The members that decide the name of a document. */
export type DocumentNames = Pick<DocumentRecord, 'displayName' | 'originalName' | 'nameIndex'>

/** Longest name that file systems accept, in bytes. */
const MAX_DISPLAY_BYTES = 255

const REPLACEMENT_CHARACTER = '\uFFFD'
/** Control characters, separators of lines and paragraphs, and overrides of the text direction (UAX 9). */
const INVISIBLE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu
/** Characters that Windows refuses in a name; other systems refuse fewer. */
const NOT_IN_FILE_NAMES = /["*/:<>?\\|]/g
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/**
 * The name of an upload, as it is stored: without path, control characters and overrides of the text direction.
 */
export function shownName(originalName: string): string {
  const name = originalName.slice(Math.max(originalName.lastIndexOf('/'), originalName.lastIndexOf('\\')) + 1)
  return withoutInvisible(name)
}

function withoutInvisible(name: string): string {
  return name.toWellFormed().replace(INVISIBLE, REPLACEMENT_CHARACTER)
}

/**
 * A name for a saved file that every system accepts: the original name, or `report (1).pdf` for the second document of
 * that name. At most 255 bytes of UTF-8. The ending, which is the format, stays.
 */
export function displayName(originalName: string, nameIndex: number): string {
  return safeName(shownName(originalName), nameIndex)
}

/** The safe name of a stored document: the given one, or the one that is made from the original name. */
export function displayNameOf({ displayName: given, originalName, nameIndex }: DocumentNames): string {
  // A given name is no path: its slashes become `_`, and nothing is cut.
  return given === null ? displayName(originalName, nameIndex) : safeName(withoutInvisible(given), 0)
}

function safeName(name: string, nameIndex: number): string {
  const safe = name
    .replace(NOT_IN_FILE_NAMES, '_')
    .trim()
    .replace(/[. ]+$/, '')
    .replace(DEVICE, '_$&')
  const dot = safe.lastIndexOf('.')
  const end = dot >= 0 ? dot : safe.length
  const ending = (nameIndex === 0 ? '' : ` (${nameIndex})`) + truncate(safe.slice(end), MAX_DISPLAY_BYTES / 4)
  const stem = end === 0 ? '_' : safe.slice(0, end)
  return truncate(stem, MAX_DISPLAY_BYTES - byteLength(ending)) + ending
}

const encoder = new TextEncoder()

function byteLength(text: string): number {
  return encoder.encode(text).length
}

/** The start of a text, of at most `maxBytes` bytes of UTF-8. It never ends inside a character. */
function truncate(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text
  let bytes = 0
  let kept = ''
  for (const character of text) {
    bytes += byteLength(character)
    if (bytes > maxBytes) break
    kept += character
  }
  return kept
}

/**
 * A text in the form that is compared without regard to upper and lower case. Each code point is folded by itself, so that
 * a part of a text is found in it wherever it stands. A letter with an accent is the same in one code point and in two.
 * `ẞ`, `ß` and `ss` are the same too.
 */
export function foldName(text: string): string {
  const folded = Array.from(text.normalize('NFC'), (character) => character.toLowerCase().toUpperCase().toLowerCase())
  return folded.join('').normalize('NFC')
}

/** The names by which lists find and order a document, as {@link foldName} returns them. */
export interface FoldedNames {
  /** The folded name that users see. At most about 2,300 bytes of UTF-8, so that every index has room. */
  readonly shown: string
  /** The folded name at the upload; null if the other one contains it. */
  readonly original: string | null
}

export function foldedNamesOf(names: DocumentNames): FoldedNames {
  const shown = foldName(displayNameOf(names))
  const original = foldName(shownName(names.originalName))
  return { shown, original: shown.includes(original) ? null : original }
}
