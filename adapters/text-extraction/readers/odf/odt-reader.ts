import type { KeptBlocks } from '../docx/docx-blocks.js'
import type { DocxPackage } from '../docx/docx-package.js'
import { titled } from '../file-title.js'
import { MarkedLines } from '../marked-lines.js'
import { type FileBytes, readAll, textMayBeMissing } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { contentPieces, odfTitle, openOdf, passDamage, STYLES, walkOdf } from './odf-file.js'
import { OdfObjects } from './odf-objects.js'
import { OdfStyles } from './odf-styles.js'
import { OdfWalker } from './odf-walker.js'
import { OdtText } from './odt-text.js'

/**
 * Reads an OpenDocument text as a .docx: the body in streaming, with its automatic numbers, then its text boxes, charts,
 * notes, comments, headers and footers. A damaged part loses only its own text, and a warning says so.
 */
export async function* readOdt(bytes: FileBytes): AsyncGenerator<ReaderPiece> {
  const file = await openOdf(await readAll(bytes))
  yield* titled(readStories(file), await odfTitle(file))
}

async function* readStories(file: DocxPackage): AsyncGenerator<ReaderPiece> {
  const warnings: ReaderWarning[] = []
  const styles = new OdfStyles()
  if (file.has(STYLES)) await walkOdf(file, STYLES, styles).catch(passDamage)
  const objects = await OdfObjects.read(file, warnings)
  const story = new MarkedLines()
  const text = new OdtText(story, styles, objects)
  yield* contentPieces(file, { handler: text, out: story, hasText: () => text.hasText, warnings })
  for (const blocks of [text.boxes, text.charts, text.notes, text.comments]) yield* piecesOf(blocks, story)
  story.leaveGap()
  const margins = new OdtText(story, styles, objects)
  if (file.has(STYLES)) {
    try {
      await walkOdf(file, STYLES, new OdfWalker(margins))
    } catch (error) {
      passDamage(error)
      warnings.push(textMayBeMissing(`${STYLES} is damaged`))
    }
  }
  yield* piecesOf(margins.boxes, story)
  if (warnings.length > 0) yield { text: '', warnings }
}

function* piecesOf(blocks: KeptBlocks, story: MarkedLines): Generator<ReaderPiece> {
  story.leaveGap()
  for (const paragraph of blocks.paragraphs) story.add(paragraph)
  yield* story.pieces()
}
