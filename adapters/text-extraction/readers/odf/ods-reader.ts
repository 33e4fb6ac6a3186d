import type { DocxPackage } from '../docx/docx-package.js'
import { titled } from '../file-title.js'
import { MarkedLines } from '../marked-lines.js'
import { type FileBytes, readAll, textMayBeMissing, warning } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { contentPieces, odfTitle, openOdf, passDamage, STYLES, walkOdf } from './odf-file.js'
import { OdfStyles } from './odf-styles.js'
import { OdsText } from './ods-text.js'

/**
 * Reads an OpenDocument spreadsheet as an .xlsx: sheet by sheet and row by row, with the texts that the program shows. A
 * sheet is a page, and its name a heading. Hidden sheets are left out, with a warning.
 */
export async function* readOds(bytes: FileBytes): AsyncGenerator<ReaderPiece> {
  const file = await openOdf(await readAll(bytes))
  yield* titled(readSheets(file), await odfTitle(file))
}

async function* readSheets(file: DocxPackage): AsyncGenerator<ReaderPiece> {
  const styles = new OdfStyles()
  if (file.has(STYLES)) await walkOdf(file, STYLES, styles).catch(passDamage)
  const out = new MarkedLines()
  const text = new OdsText(out, styles)
  const warnings: ReaderWarning[] = []
  yield* contentPieces(file, { handler: text, out, hasText: () => out.lines > 0, warnings })
  yield* out.pieces()
  if (text.hidden > 0) {
    const count = text.hidden
    const message = count === 1 ? '1 hidden sheet is left out' : `${count} hidden sheets are left out`
    warnings.push(warning(message, 'hidden-sheets', { count }))
  }
  if (text.leftOut > 0) {
    const count = text.leftOut.toLocaleString('en-US')
    warnings.push(textMayBeMissing(`${count} repetitions of cells and rows are left out`))
  }
  warnings.push(...text.warnings)
  if (warnings.length > 0) yield { text: '', warnings }
}
