import type { ExtractedPiece } from '../../../../src/ports/index.js'
import { MarkedLines } from '../marked-lines.js'
import type { FileBytes } from '../reader.js'
import { DecodedText } from '../text-reader.js'
import { HtmlEvents } from './html-events.js'
import { HtmlText } from './html-text.js'

/** The bytes in which a page declares its encoding. */
const HEAD_BYTES = 4_096

/**
 * Reads a web page as a reader sees it: title, paragraphs, lists and tables, without scripts and hidden elements.
 * Headings become marks.
 */
export async function* readHtml(file: FileBytes): AsyncGenerator<ExtractedPiece> {
  const head = (await headOf(file)).toString('latin1').replaceAll('\0', '')
  const decoded = await DecodedText.of(file, declaredCharset(head))
  const out = new MarkedLines()
  const text = new HtmlText(out, true)
  const events = new HtmlEvents(text, /^[^<]{0,10}<\?xml/.test(head))
  for await (const piece of decoded.pieces()) {
    events.write(piece)
    yield* out.longPieces()
  }
  events.end()
  text.end()
  yield* out.pieces()
  yield* decoded.warning()
}

/** Reads a whole page that is in memory. */
export function addHtml(out: MarkedLines, html: string, options: { readonly isXml: boolean }): void {
  const text = new HtmlText(out, false)
  const events = new HtmlEvents(text, options.isXml)
  events.write(html)
  events.end()
  text.end()
}

async function headOf(file: FileBytes): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of file.open()) {
    pieces.push(piece.subarray(0, HEAD_BYTES))
    length += piece.length
    if (length >= HEAD_BYTES) break
  }
  return Buffer.concat(pieces).subarray(0, HEAD_BYTES)
}

/** The encoding in `<meta charset>`, `<meta http-equiv>` or the XML declaration. */
function declaredCharset(head: string): string | undefined {
  return /^[^<]{0,10}<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']|<meta\s[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i
    .exec(head)
    ?.slice(1)
    .find((name) => name !== undefined)
}
