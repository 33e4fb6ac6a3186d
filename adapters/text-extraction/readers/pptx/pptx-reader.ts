import { ExtractionError } from '../../../../src/ports/index.js'
import { DamagedPartError, type DocxPackage } from '../docx/docx-package.js'
import { titled } from '../file-title.js'
import { MarkedLines } from '../marked-lines.js'
import { byId, mainPartOf, openOffice, relationshipsIn, titleOf, walk } from '../office/office-file.js'
import { readChart, readInto } from '../office/read-chart.js'
import { addSlide, hiddenSlides, type SlideLines } from '../office/slide-lines.js'
import { type FileBytes, readAll, warning } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { SlideText } from './slide-text.js'

/** Parts of a slide whose text comes after its own, in this order. */
const BESIDE = ['diagramData', 'chart', 'chartEx'] as const

/**
 * Reads a presentation slide by slide: title, text, tables, diagrams, charts as tables, and notes. A slide is a page,
 * and its title a heading. Hidden slides are left out, with a warning.
 */
export async function* readPptx(bytes: FileBytes): AsyncGenerator<ReaderPiece> {
  const file = await openOffice(await readAll(bytes), '.pptx')
  yield* titled(readSlides(file), await titleOf(file))
}

async function* readSlides(file: DocxPackage): AsyncGenerator<ReaderPiece> {
  const out = new MarkedLines()
  const warnings: ReaderWarning[] = []
  const repeated = new Set<string>()
  let hidden = 0
  for (const [index, part] of (await slidesOf(file, warnings)).entries()) {
    const slide = await readSlide(file, part, repeated, warnings)
    if (slide.text.isHidden) hidden += 1
    else addSlide(out, linesOf(slide, index + 1))
    yield* out.longPieces()
  }
  yield* out.pieces()
  warnings.push(...hiddenSlides(hidden))
  if (warnings.length > 0) yield { text: '', warnings }
}

interface Slide {
  readonly text: SlideText
  readonly notes: SlideText
}

/** The parts of the slides in the order in which they are shown. */
async function slidesOf(file: DocxPackage, warnings: ReaderWarning[]): Promise<readonly string[]> {
  const main = await mainPartOf(file, 'ppt/presentation.xml')
  const relationships = byId(await relationshipsIn(file, main))
  const slides: string[] = []
  try {
    await walk(file, main, (element, attribute) => {
      if (element !== 'p:sldId') return
      const related = relationships.get(attribute(':id') ?? '')
      if (related !== undefined && file.claim(related.part)) slides.push(related.part)
    })
  } catch (error) {
    if (!(error instanceof DamagedPartError)) throw error
    if (slides.length === 0) throw new ExtractionError('ERR_CORRUPT_FILE', `The file is damaged: ${error.message}`)
    const { message: place } = error
    warnings.push(warning(`${place}: some slides may be missing`, 'slides-may-be-missing', { part: place }))
  }
  return slides
}

async function readSlide(
  file: DocxPackage,
  part: string,
  repeated: Set<string>,
  warnings: ReaderWarning[],
): Promise<Slide> {
  const text = new SlideText(repeated)
  const notes = new SlideText(repeated, true)
  await readInto(file, part, text, warnings)
  const relationships = await relationshipsIn(file, part).catch(() => [])
  for (const type of BESIDE) {
    for (const related of relationships) {
      if (related.type !== type || !file.claim(related.part)) continue
      if (type === 'diagramData') await readInto(file, related.part, text, warnings)
      else await readChart(file, related.part, text.body, warnings)
    }
  }
  const related = relationships.find(({ type }) => type === 'notesSlide')
  if (related !== undefined && file.claim(related.part)) await readInto(file, related.part, notes, warnings)
  return { text, notes }
}

function linesOf({ text, notes }: Slide, page: number): SlideLines {
  return { page, title: text.title.paragraphs, body: text.body.paragraphs, notes: notes.body.paragraphs }
}
