import { type ExtractedPiece, ExtractionError } from '../../../../src/ports/index.js'
import { piecesOf, storable } from '../reader.js'
import { Story } from './docx-blocks.js'
import { DamagedPartError, DocxPackage } from './docx-package.js'
import { mainPart, relatedParts } from './docx-relationships.js'
import { headingStyles } from './docx-styles.js'
import { DocxText } from './docx-text.js'
import { walkXml } from './docx-xml.js'

const PIECE_CHARACTERS = 65_536

/**
 * Reads a .docx: the body in streaming, then its text boxes, diagrams and charts, notes, comments, headers and footers.
 * A damaged part loses only its own text, and a warning says so.
 */
export async function* readDocx(bytes: Buffer): AsyncGenerator<ExtractedPiece> {
  const file = await DocxPackage.open(bytes)
  const main = await mainPart(file)
  if (main === undefined) {
    throw new ExtractionError('ERR_CORRUPT_FILE', 'The file is damaged: the part with its text is missing')
  }
  const { stories, styles } = await relatedParts(file, main)
  const story = new Story()
  const isHeadingStyle = await headingStyles(file, styles)
  for (const part of [main, ...stories]) {
    yield* readPart(file, part, part === main, new DocxText(story, isHeadingStyle))
    story.leaveGap()
  }
}

async function* readPart(
  file: DocxPackage,
  part: string,
  isMain: boolean,
  text: DocxText,
): AsyncGenerator<ExtractedPiece> {
  const warnings: string[] = []
  try {
    for await (const _ of walkXml(file.bytes(part), text, part)) {
      if (isMain) checkRoot(text.root)
      if (text.story.length >= PIECE_CHARACTERS) yield* pieces(text.story)
    }
  } catch (error) {
    if (!(error instanceof DamagedPartError)) throw error
    if (isMain && !text.hasText) throw new ExtractionError('ERR_CORRUPT_FILE', `The file is damaged: ${error.message}`)
    warnings.push(`${error.message}: some of its text may be missing`)
  }
  text.story.leaveGap()
  for (const paragraph of text.boxes.paragraphs) text.story.add(paragraph)
  if (text.embedded > 0) warnings.push('text of another format that is embedded in the document is left out')
  yield* pieces(text.story)
  if (warnings.length > 0) yield { text: '', warnings }
}

function* pieces(story: Story): Generator<ExtractedPiece> {
  for (const text of piecesOf(storable(story.take()), PIECE_CHARACTERS)) yield { text }
}

function checkRoot(root: string | undefined): void {
  if (root === undefined || root === 'w:document') return
  throw new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    'The file is an Office file, but not a Word document: save its text as .docx or .pdf',
  )
}
