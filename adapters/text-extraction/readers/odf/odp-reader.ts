import type { DocxPackage } from '../docx/docx-package.js'
import { titled } from '../file-title.js'
import { MarkedLines } from '../marked-lines.js'
import { addSlide, hiddenSlides } from '../office/slide-lines.js'
import { type FileBytes, readAll } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { contentPieces, odfTitle, openOdf } from './odf-file.js'
import { OdfObjects } from './odf-objects.js'
import { OdfStyles } from './odf-styles.js'
import { OdpText } from './odp-text.js'

/**
 * Reads an OpenDocument presentation as a .pptx: title, text, tables, formulas, charts as tables, and notes of each slide.
 * A slide is a page, and its title a heading. Hidden slides are left out, with a warning.
 */
export async function* readOdp(bytes: FileBytes): AsyncGenerator<ReaderPiece> {
  const file = await openOdf(await readAll(bytes))
  yield* titled(readSlides(file), await odfTitle(file))
}

async function* readSlides(file: DocxPackage): AsyncGenerator<ReaderPiece> {
  const warnings: ReaderWarning[] = []
  const objects = await OdfObjects.read(file, warnings)
  const out = new MarkedLines()
  const text = new OdpText((slide) => addSlide(out, slide), new OdfStyles(), objects)
  yield* contentPieces(file, { handler: text, out, hasText: () => out.lines > 0, warnings })
  yield* out.pieces()
  warnings.push(...hiddenSlides(text.hidden))
  if (warnings.length > 0) yield { text: '', warnings }
}
