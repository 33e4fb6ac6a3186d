import { ExtractionError } from '../../../../src/ports/index.js'
import { MarkedLines } from '../marked-lines.js'
import { type FileBytes, inMemory, warning } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { encodingUnsure } from '../text-reader.js'
import { USUAL_ENCODING } from './rtf-bytes.js'
import { RtfText } from './rtf-text.js'
import { RtfTokens } from './rtf-tokens.js'

const HEAD = /^(?:\xef\xbb\xbf)?\s*\{\\rtf/

/**
 * Reads RTF as a .docx: the body in streaming, with the numbers of lists and tables as rows, then its text boxes, notes,
 * comments, headers and footers.
 *
 * The tokens are those of `rtf-stream-parser`. No library makes a text of all of them: `rtf-parser` knows no tables, notes,
 * headers and text boxes, and `rtf.js` needs a browser.
 */
export async function* readRtf(file: FileBytes): AsyncGenerator<ReaderPiece> {
  const story = new MarkedLines()
  const text = new RtfText(story)
  const tokens = new RtfTokens()
  let isFirst = true
  for await (const bytes of file.open()) {
    if (isFirst && bytes.length >= 10 && !HEAD.test(Buffer.from(bytes.subarray(0, 1_000)).toString('latin1'))) {
      throw new ExtractionError('ERR_CORRUPT_FILE', 'The file is damaged: it does not begin as RTF does')
    }
    isFirst = false
    text.add(tokens.tokensOf(bytes))
    yield* story.longPieces()
  }
  text.add(tokens.lastTokens())
  const { isComplete } = text
  text.end()
  for (const { paragraphs } of [text.boxes, text.notes, text.comments, text.headers, text.footers]) {
    yield* story.pieces()
    story.leaveGap()
    for (const paragraph of paragraphs) story.add(paragraph.trimStart())
  }
  yield* story.pieces()
  if (text.isEncodingUnsure) yield { text: '', warnings: [encodingUnsure(USUAL_ENCODING)] }
  if (isComplete) return
  const message = 'the document is incomplete: some of its text is missing'
  yield { text: '', warnings: [warning(message, 'document-incomplete')] }
}

/** The text of RTF that is in memory, and what could not be read. */
export async function rtfText(
  rtf: Buffer,
): Promise<{ readonly text: string; readonly warnings: readonly ReaderWarning[] }> {
  let text = ''
  const warnings: ReaderWarning[] = []
  for await (const piece of readRtf(inMemory(rtf))) {
    text += piece.text
    warnings.push(...(piece.warnings ?? []))
  }
  return { text, warnings }
}
