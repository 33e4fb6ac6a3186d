import { withSymbols } from '../docx/docx-symbols.js'
import type { DocPieces, DocStreams, Piece } from './doc-container.js'
import { characterRuns, firstAfter, type PropertyRun, visitProperties } from './doc-properties.js'

/** Properties of characters ([MS-DOC] 2.6.1). */
const DELETED = 0x0800
const SYMBOL = 0x6a09
const FONT = 0x4a4f
/** {@link DELETED} in the short form of a piece, in two bytes. */
const DELETED_IN_SHORT = 0x41
/** The position of the font names in the table stream. */
const FONTS = 0x0112
/** The bytes of a font's description before its name. */
const FONT_NAME = 40
const SYMBOL_FONTS = /^(symbol|wingdings|webdings)/i

/** Replaces a part of the text by one of the same length. */
type Edit = (text: string) => string

interface EditRun extends PropertyRun {
  readonly edit: Edit
}

/** Erases deleted text, and replaces symbol codes by the characters that their fonts show. Keeps the length. */
export function editedText({ text, pieces }: DocPieces, streams: DocStreams): string {
  const edits = editRuns(streams)
  const parts: string[] = []
  for (const piece of pieces) {
    const whole = text.slice(piece.position, piece.position + piece.length)
    parts.push(isDeleted(piece) ? erase(whole) : applyEdits(whole, piece, edits))
  }
  return parts.join('')
}

function applyEdits(text: string, piece: Piece, edits: readonly EditRun[]): string {
  const end = piece.offset + piece.length * piece.bytesPerUnit
  let result = ''
  let done = 0
  for (let index = Math.max(0, firstAfter(edits, piece.offset) - 1); index < edits.length; index += 1) {
    const run = edits[index]
    if (run === undefined || run.start >= end) break
    const from = Math.max(done, Math.ceil((run.start - piece.offset) / piece.bytesPerUnit))
    const to = Math.min(piece.length, Math.ceil((run.end - piece.offset) / piece.bytesPerUnit))
    if (to <= from) continue
    result += text.slice(done, from) + run.edit(text.slice(from, to))
    done = to
  }
  return result + text.slice(done)
}

function editRuns(streams: DocStreams): EditRun[] {
  const fonts = fontNames(streams)
  return characterRuns(streams).flatMap((run) => {
    const edit = editOf(run.list, fonts)
    return edit === undefined ? [] : [{ ...run, edit }]
  })
}

function editOf(list: Buffer, fonts: readonly string[]): Edit | undefined {
  const found: { edit?: Edit | undefined; isDeleted?: boolean } = {}
  visitProperties(list, (property, value) => {
    if (property === DELETED && value.length > 0) found.isDeleted = ((value[0] ?? 0) & 1) === 1
    else if (property === FONT && value.length >= 2) found.edit ??= symbolEdit(fonts[value.readUInt16LE(0)])
    else if (property === SYMBOL && value.length >= 4) {
      const font = fonts[value.readUInt16LE(0)]
      const shown = withSymbols(String.fromCharCode(value.readUInt16LE(2)), font)
      // The text has one placeholder for each symbol: a parenthesis.
      found.edit = (text) => text.replaceAll(/[(\uF020-\uF0FF]/g, (mark) => (shown.length === 1 ? shown : mark))
    }
  })
  return found.isDeleted === true ? erase : found.edit
}

function symbolEdit(font: string | undefined): Edit | undefined {
  if (font === undefined || !SYMBOL_FONTS.test(font)) return undefined
  return (text) => {
    const shown = withSymbols(text, font)
    return shown.length === text.length ? shown : text
  }
}

function erase(text: string): string {
  return '\0'.repeat(text.length)
}

function isDeleted({ changes }: Piece): boolean {
  if (typeof changes === 'number') return ((changes >>> 1) & 0x7f) === DELETED_IN_SHORT && changes >>> 8 === 1
  return editOf(changes, []) === erase
}

/** The names of fonts by number ([MS-DOC] 2.9.286). */
function fontNames({ main, table }: DocStreams): string[] {
  const start = main.readUInt32LE(FONTS)
  const bytes = table.subarray(start, start + main.readUInt32LE(FONTS + 4))
  const names: string[] = []
  for (let offset = 4; offset < bytes.length; offset += 1 + (bytes[offset] ?? 0)) {
    const name = bytes.subarray(offset + FONT_NAME, offset + 1 + (bytes[offset] ?? 0)).toString('utf16le')
    names.push(name.split('\0')[0] ?? '')
  }
  return names
}
