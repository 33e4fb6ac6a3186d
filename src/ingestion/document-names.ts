import { InvalidInputError } from '../shared/errors.js'

const MAX_NAME_CHARACTERS = 10_000
/** What file systems take for one name. */
const MAX_DISPLAY_BYTES = 255

const REPLACEMENT = '\uFFFD'
/** Control characters, separators of lines and paragraphs, and what overrides the direction of a text (UAX 9). */
const INVISIBLE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu
/** What Windows refuses in a name; other systems refuse less. */
const NOT_IN_FILE_NAMES = /["*/:<>?\\|]/g
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i

/**
 * The name of an uploaded file, as `originalName` shows it. Names come from strangers.
 *
 * - Of a path, the last part alone, whichever slash it has.
 * - Control characters, line separators and overrides of the direction become U+FFFD; everything else stays.
 *
 * @throws InvalidInputError where there is no name, or one of more than 10,000 characters
 */
export function parseFileName(fileName: unknown): string {
  const name = typeof fileName === 'string' ? shownName(fileName) : ''
  if (name.trim() === '') {
    throw new InvalidInputError('fileName', 'must be a name that ends in the format, such as report.pdf')
  }
  if (name.length > MAX_NAME_CHARACTERS) {
    throw new InvalidInputError('fileName', `must have at most ${MAX_NAME_CHARACTERS} characters`)
  }
  return name
}

/** As {@link parseFileName}, for names that were stored before it was as strict. */
export function shownName(originalName: string): string {
  const name = originalName.slice(Math.max(originalName.lastIndexOf('/'), originalName.lastIndexOf('\\')) + 1)
  return name.toWellFormed().replace(INVISIBLE, REPLACEMENT)
}

/**
 * A name that a file can be saved under on every system: the original one, or `report (1).pdf` for the second document
 * of that name. At most 255 bytes of UTF-8; the format's ending stays.
 */
export function displayName(originalName: string, nameIndex: number): string {
  const safe = shownName(originalName)
    .replace(NOT_IN_FILE_NAMES, '_')
    .trim()
    .replace(/[. ]+$/, '')
    .replace(DEVICE, '_$&')
  const dot = safe.lastIndexOf('.')
  const end = dot >= 0 ? dot : safe.length
  const ending = (nameIndex === 0 ? '' : ` (${nameIndex})`) + cut(safe.slice(end), MAX_DISPLAY_BYTES / 4)
  const stem = end === 0 ? '_' : safe.slice(0, end)
  return cut(stem, MAX_DISPLAY_BYTES - byteLength(ending)) + ending
}

const encoder = new TextEncoder()

function byteLength(text: string): number {
  return encoder.encode(text).length
}

/** The beginning of a text, of at most so many bytes of UTF-8; never half a character. */
function cut(text: string, maxBytes: number): string {
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
