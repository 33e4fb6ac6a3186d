import { MarkedLines } from '../marked-lines.js'
import type { FileBytes } from '../reader.js'
import type { ReaderPiece, ReaderWarning } from '../reader-piece.js'
import { DecodedText } from '../text-reader.js'
import { HtmlEvents } from './html-events.js'
import { HtmlText } from './html-text.js'

/** The bytes in which a page declares its encoding: after its styles and scripts, too. */
const HEAD_BYTES = 262_144
/** No two runs of blanks stand side by side in it, and each is short: a page of blanks would take minutes. */
const DECLARATION =
  /^[^<]{0,10}<\?xml[^>]{0,1000}?\sencoding\s{0,100}=\s{0,100}["']([\w.:-]{1,100})["']|<meta\s[^>]{0,1000}?charset\s{0,100}=\s{0,100}(?:["']\s{0,100})?([\w.:-]{1,100})/i

/**
 * Reads a web page as a reader sees it: title, paragraphs, lists and tables, without scripts and hidden elements.
 * Headings become marks.
 */
export async function* readHtml(file: FileBytes): AsyncGenerator<ReaderPiece> {
  const out = new MarkedLines()
  yield* readPage(file, out, { hasTitle: true, isXml: false })
  yield* out.pieces()
}

/**
 * Adds a page to lines, and yields those that are long enough.
 *
 * @param options.hasTitle true if the title of the page becomes its first heading
 * @param options.isXml true for XHTML, which the file may also declare
 */
export async function* readPage(
  file: FileBytes,
  out: MarkedLines,
  options: { readonly hasTitle: boolean; readonly isXml: boolean },
): AsyncGenerator<ReaderPiece> {
  const { head, decoded } = await decodedPage(file)
  const text = new HtmlText(out, options.hasTitle)
  const events = new HtmlEvents(text, options.isXml || /^[^<]{0,10}<\?xml/.test(head))
  try {
    for await (const piece of decoded.pieces()) {
      events.write(piece)
      yield* out.longPieces()
    }
  } finally {
    // A damaged page keeps the text before the damage.
    events.end()
    text.end()
  }
  yield* decoded.warning()
}

/**
 * The characters of a page, decoded as it declares, and what could not be decoded.
 *
 * @param usual the encoding of a page that declares none
 */
export async function pageText(
  file: FileBytes,
  usual?: string,
): Promise<{ readonly text: string; readonly warnings: readonly ReaderWarning[] }> {
  const { decoded } = await decodedPage(file, usual)
  let text = ''
  for await (const piece of decoded.pieces()) text += piece
  return { text, warnings: [...decoded.warning()].flatMap(({ warnings = [] }) => warnings) }
}

/** Adds a page that is in memory. */
export function addPage(html: string, out: MarkedLines): void {
  const text = new HtmlText(out, false)
  const events = new HtmlEvents(text, false)
  events.write(html)
  events.end()
  text.end()
}

/** The text of a page in the encoding that it declares, and its beginning, in which it declares it. */
async function decodedPage(
  file: FileBytes,
  usual?: string,
): Promise<{ readonly head: string; readonly decoded: DecodedText }> {
  const head = (await headOf(file)).toString('latin1').replaceAll('\0', '')
  return { head, decoded: await DecodedText.of(file, declaredCharset(head) ?? usual) }
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
export function declaredCharset(head: string): string | undefined {
  const declared = DECLARATION.exec(head)
  return declared?.[1] ?? declared?.[2]
}
