import { ExtractionError } from '../../../../src/ports/index.js'
import { titled } from '../file-title.js'
import { MarkedLines } from '../marked-lines.js'
import { mainPartOf, type Relationship, relationshipsIn, titleOf } from '../office/office-file.js'
import { readChart } from '../office/read-chart.js'
import { textMayBeMissing, warning } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { checkZip, type SharedBytes } from './checked-zip.js'
import { NO_CHUNKS, type ReadInner, readChunks } from './docx-chunks.js'
import { DocxNumbering } from './docx-numbering.js'
import { DamagedPartError, DocxPackage, relationshipsOf } from './docx-package.js'
import { DocxStyles } from './docx-styles.js'
import { DocxText } from './docx-text.js'
import { walkXml } from './docx-xml.js'

/**
 * Reads a .docx: the body in streaming, then its text boxes, diagrams and charts, notes, comments, headers and footers.
 * A damaged part loses only its own text, and a warning says so.
 */
export async function* readDocx(bytes: Buffer): AsyncGenerator<ReaderPiece> {
  const file = await DocxPackage.open(bytes)
  yield* titled(readStories(file, readEmbedded), await titleOf(file))
}

/** Reads a .docx in a .docx, whose own embedded documents are left out. */
async function* readEmbedded(bytes: Buffer, shared: SharedBytes): AsyncGenerator<ReaderPiece> {
  await checkZip(bytes, '.docx', shared)
  yield* readStories(await DocxPackage.open(bytes), undefined)
}

async function* readStories(file: DocxPackage, readInner: ReadInner | undefined): AsyncGenerator<ReaderPiece> {
  const main = await mainPartOf(file, 'word/document.xml')
  file.claim(main)
  const parts = await relatedParts(file, main)
  const story = new MarkedLines()
  const styles = await DocxStyles.read(file, parts.styles)
  const numbering = await DocxNumbering.read(file, parts.numbering)
  const textOf = (): DocxText => new DocxText(story, styles, numbering)
  const chunks = readInner === undefined ? NO_CHUNKS : await readChunks(file, parts.chunks, readInner)
  yield* readPart(file, main, true, new DocxText(story, styles, numbering, chunks.byId))
  const warnings = [...(numbering.damage === undefined ? [] : [textMayBeMissing(numbering.damage)]), ...chunks.warnings]
  if (warnings.length > 0) yield { text: '', warnings }
  for (const { type, part } of parts.stories) {
    story.leaveGap()
    if (!type.startsWith('chart')) {
      yield* readPart(file, part, false, textOf())
      continue
    }
    const ofChart: ReaderWarning[] = []
    await readChart(file, part, story, ofChart)
    yield* story.pieces()
    if (ofChart.length > 0) yield { text: '', warnings: ofChart }
  }
}

async function* readPart(
  file: DocxPackage,
  part: string,
  isMain: boolean,
  text: DocxText,
): AsyncGenerator<ReaderPiece> {
  const warnings: ReaderWarning[] = []
  try {
    for await (const _ of walkXml(file.bytes(part), text, part)) {
      if (isMain) checkRoot(text.root)
      yield* text.story.longPieces()
    }
  } catch (error) {
    if (!(error instanceof DamagedPartError)) throw error
    if (isMain && !text.hasText) throw new ExtractionError('ERR_CORRUPT_FILE', `The file is damaged: ${error.message}`)
    warnings.push(textMayBeMissing(error.message))
  }
  text.story.leaveGap()
  for (const paragraph of text.boxes.paragraphs) text.story.add(paragraph)
  if (text.embedded > 0) {
    const message = 'text of another format that is embedded in the document is left out'
    warnings.push(warning(message, 'embedded-text-left-out'))
  }
  yield* text.story.pieces()
  if (warnings.length > 0) yield { text: '', warnings }
}

function checkRoot(root: string | undefined): void {
  if (root === undefined || root === 'w:document') return
  throw new ExtractionError(
    'ERR_UNSUPPORTED_FORMAT',
    'The file is an Office file, but not a Word document: save its text as .docx or .pdf',
  )
}

/** The parts that a document refers to. */
interface DocxParts {
  /** Parts whose text comes after the body, in their order. */
  readonly stories: readonly Pick<Relationship, 'type' | 'part'>[]
  readonly styles: string | undefined
  readonly numbering: string | undefined
  /** References to embedded documents. */
  readonly chunks: readonly Relationship[]
}

/** The types of parts that are read after the body, in this order. */
const STORIES = ['diagramData', 'chart', 'chartEx', 'footnotes', 'endnotes', 'comments', 'header', 'footer'] as const
/** The usual names of these parts, for files without relationships. */
const USUAL_NAME = /^word\/(footnotes|endnotes|comments|header|footer)\d*\.xml$/

async function relatedParts(file: DocxPackage, main: string): Promise<DocxParts> {
  const usual = usualRelationships(file)
  const hasOwn = file.has(relationshipsOf(main))
  const relationships = hasOwn ? await relationshipsIn(file, main).catch(() => usual) : usual
  const stories = STORIES.flatMap((story) => relationships.filter(({ type }) => type === story))
  return {
    stories: stories.filter(({ part }) => file.claim(part)),
    styles: relationships.find(({ type }) => type === 'styles')?.part,
    numbering: relationships.find(({ type }) => type === 'numbering')?.part,
    chunks: relationships.filter((each): each is Relationship => 'id' in each && each.type === 'aFChunk'),
  }
}

function usualRelationships(file: DocxPackage): readonly Pick<Relationship, 'type' | 'part'>[] {
  return [...file.names()].flatMap((part) => {
    const type = USUAL_NAME.exec(part)?.[1]
    return type === undefined ? [] : [{ type, part }]
  })
}
