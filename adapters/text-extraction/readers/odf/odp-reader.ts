import type { DocxPackage } from '../docx/docx-package.js'
import { walkXml } from '../docx/docx-xml.js'
import { titled } from '../file-title.js'
import { MarkedLines } from '../marked-lines.js'
import { addSlide, hiddenSlides } from '../office/slide-lines.js'
import { type FileBytes, readAll, textMayBeMissing } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { CONTENT, damaged, odfTitle, openOdf, passDamage } from './odf-file.js'
import { OdfObjects } from './odf-objects.js'
import { OdfStyles } from './odf-styles.js'
import { OdfWalker } from './odf-walker.js'
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
  try {
    const walk = walkXml(file.bytes(CONTENT), new OdfWalker(text), CONTENT, { hasDocumentType: true })
    for await (const _ of walk) yield* out.longPieces()
  } catch (error) {
    passDamage(error)
    if (out.lines === 0) throw damaged(`${CONTENT} is damaged`)
    warnings.push(textMayBeMissing(`${CONTENT} is damaged`))
  }
  yield* out.pieces()
  warnings.push(...hiddenSlides(text.hidden))
  if (warnings.length > 0) yield { text: '', warnings }
}
