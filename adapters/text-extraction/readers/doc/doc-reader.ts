import { MarkedLines } from '../marked-lines.js'
import { warning } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { type DocPieces, type DocStreams, openDoc, readPieces } from './doc-container.js'
import { editedText } from './doc-marks.js'
import { paragraphRuns } from './doc-properties.js'
import { styleLevels } from './doc-styles.js'
import { addStory, DocParagraphs } from './doc-text.js'

/** The positions of the lengths of the parts, in the order of the text ([MS-DOC] 2.5.5). */
const LENGTHS = {
  body: 0x4c,
  footnotes: 0x50,
  headers: 0x54,
  macros: 0x58,
  comments: 0x5c,
  endnotes: 0x60,
  boxes: 0x64,
  headerBoxes: 0x68,
} as const
type Part = keyof typeof LENGTHS
const READ_ORDER: readonly Part[] = ['body', 'boxes', 'footnotes', 'endnotes', 'comments', 'headers', 'headerBoxes']
/** The position of the headers and footers in the table stream. */
const HEADERS = 0x00f2
/** The first stories are the lines above notes. Six stories for each section follow. */
const NOTE_LINES = 6
const IS_FOOTER = [false, false, true, true, false, true] as const

interface Range {
  readonly from: number
  readonly to: number
}

/**
 * Reads a .doc of Word 97 or later: body, text boxes, notes, comments, headers and footers.
 * Damaged properties lose deletions and tables, not text. A warning says so.
 */
export function* readDoc(bytes: Buffer): Generator<ReaderPiece> {
  const streams = openDoc(bytes)
  const pieces = readPieces(streams)
  const warnings = pieces.isTruncated
    ? [warning('the document is incomplete: some of its text is missing', 'document-incomplete')]
    : []
  const { text, paragraphs } = withProperties(streams, pieces, warnings)
  const story = new MarkedLines()
  const parts = partsOf(streams.main, text.length)
  for (const name of READ_ORDER) {
    const ranges = name === 'headers' ? headerRanges(streams, parts.headers) : [parts[name]]
    for (const { from, to } of ranges) {
      addStory(text, from, to, paragraphs, story)
      story.leaveGap()
    }
    yield* story.pieces()
  }
  if (warnings.length > 0) yield { text: '', warnings }
}

/** Properties are in pages all over the file, so damage is likely there. */
function withProperties(
  streams: DocStreams,
  pieces: DocPieces,
  warnings: ReaderWarning[],
): { readonly text: string; readonly paragraphs: DocParagraphs } {
  try {
    return {
      text: editedText(pieces, streams),
      paragraphs: new DocParagraphs(pieces.pieces, paragraphRuns(streams), styleLevels(streams)),
    }
  } catch {
    const message =
      'the formatting of the document is damaged: deleted text may be included, and tables are not in rows'
    warnings.push(warning(message, 'formatting-damaged'))
    return { text: pieces.text, paragraphs: new DocParagraphs(pieces.pieces, []) }
  }
}

function partsOf(main: Buffer, length: number): Record<Part, Range> {
  let position = 0
  const ranges = Object.entries(LENGTHS).map(([part, lengthOffset]) => {
    const from = Math.min(position, length)
    position += main.readUInt32LE(lengthOffset)
    return [part, { from, to: Math.min(position, length) }] as const
  })
  return Object.fromEntries(ranges) as Record<Part, Range>
}

/** Headers, then footers. A section without its own uses those of the section before, and has no text here. */
function headerRanges({ main, table }: DocStreams, all: Range): Range[] {
  const start = main.readUInt32LE(HEADERS)
  const count = Math.floor(main.readUInt32LE(HEADERS + 4) / 4) - 1
  if (all.to === all.from || count < 1 || start + (count + 1) * 4 > table.length) return [all]
  const headers: Range[] = []
  const footers: Range[] = []
  let from = all.from
  for (let index = 0; index < count; index += 1) {
    const to = Math.max(from, Math.min(all.to, all.from + table.readUInt32LE(start + index * 4 + 4)))
    const isFooter = IS_FOOTER[index % IS_FOOTER.length] === true
    if (index >= NOTE_LINES && to > from) (isFooter ? footers : headers).push({ from, to })
    from = to
  }
  return [...headers, ...footers]
}
