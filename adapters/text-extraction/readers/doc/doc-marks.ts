import { withSymbols } from '../docx/docx-symbols.js'
import type { DocStreams } from './doc-container.js'
import type { DocPieces, Piece } from './doc-pieces.js'
import { characterRuns, firstAfter, type PropertyRun, visitProperties } from './doc-properties.js'

/** Properties of characters ([MS-DOC] 2.6.1). */
const DELETED = 0x0800
const SYMBOL = 0x6a09
const FONT = 0x4a4f
/** {@link DELETED} as a piece has it in two bytes. */
const DELETED_IN_SHORT = 0x41
/** Place of the names of fonts in the table stream. */
const FONTS = 0x0112
/** Bytes of a font's description before its name. */
const FONT_NAME = 40
const SYMBOL_FONTS = /^(symbol|wingdings|webdings)/i

/** The text for a stretch of text; as long as that. */
type Edit = (text: string) => string

interface EditRun extends PropertyRun {
  readonly edit: Edit
}

/** The text without what was deleted, and with symbols as their fonts show them. It is as long as before. */
export function editedText({ text, pieces }: DocPieces, streams: DocStreams): string {
  const edits = editRuns(streams)
  const parts: string[] = []
  for (const piece of pieces) {
    const whole = text.slice(piece.position, piece.position + piece.length)
    parts.push(isDeleted(piece) ? erased(whole) : edited(whole, piece, edits))
  }
  return parts.join('')
}

function edited(text: string, piece: Piece, edits: readonly EditRun[]): string {
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
  const found: { edit?: Edit | undefined; isGone?: boolean } = {}
  visitProperties(list, (property, value) => {
    if (property === DELETED && value.length > 0) found.isGone = ((value[0] ?? 0) & 1) === 1
    else if (property === FONT && value.length >= 2) found.edit ??= symbols(fonts[value.readUInt16LE(0)])
    else if (property === SYMBOL && value.length >= 4) {
      const font = fonts[value.readUInt16LE(0)]
      const shown = withSymbols(String.fromCharCode(value.readUInt16LE(2)), font)
      // One mark stands for each symbol: a parenthesis.
      found.edit = (text) => text.replaceAll(/[(\uF020-\uF0FF]/g, (mark) => (shown.length === 1 ? shown : mark))
    }
  })
  return found.isGone === true ? erased : found.edit
}

function symbols(font: string | undefined): Edit | undefined {
  if (font === undefined || !SYMBOL_FONTS.test(font)) return undefined
  return (text) => {
    const shown = withSymbols(text, font)
    return shown.length === text.length ? shown : text
  }
}

function erased(text: string): string {
  return '\0'.repeat(text.length)
}

function isDeleted({ changes }: Piece): boolean {
  if (typeof changes === 'number') return ((changes >>> 1) & 0x7f) === DELETED_IN_SHORT && changes >>> 8 === 1
  return editOf(changes, []) === erased
}

/** Names of fonts, by number ([MS-DOC] 2.9.286). */
function fontNames({ main, table }: DocStreams): string[] {
  const start = main.readUInt32LE(FONTS)
  const bytes = table.subarray(start, start + main.readUInt32LE(FONTS + 4))
  const names: string[] = []
  for (let at = 4; at < bytes.length; at += 1 + (bytes[at] ?? 0)) {
    const name = bytes.subarray(at + FONT_NAME, at + 1 + (bytes[at] ?? 0)).toString('utf16le')
    names.push(name.split('\0')[0] ?? '')
  }
  return names
}
