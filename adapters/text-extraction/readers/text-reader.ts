import type { ExtractedPiece } from '../../../src/ports/index.js'
import { detectCharset } from '../charset.js'
import { LiteralReplacements } from '../literal-replacements.js'
import { type FileBytes, storable } from './reader.js'

/** Reads plain text and Markdown as it stands. */
export async function* readText(file: FileBytes): AsyncGenerator<ExtractedPiece> {
  const replacements = new Replacements()
  for await (const text of replacements.counted(file)) yield { text }
  yield* replacements.warning()
}

/** Counts the characters that could not be decoded, for the receipt. */
export class Replacements {
  #count = 0

  /** The text of a file. A U+FFFD that stands in the file itself was decoded as well as any other character. */
  async *counted(file: FileBytes): AsyncGenerator<string> {
    const texts = decodedText(file, (literals) => {
      this.#count -= literals
    })
    for await (const text of texts) {
      this.#count += text.split('\uFFFD').length - 1
      yield text
    }
  }

  /** A piece without text that says how many there were, where there were any. */
  *warning(): Generator<ExtractedPiece> {
    if (this.#count === 0) return
    const what = this.#count === 1 ? '1 character' : `${this.#count} characters`
    yield { text: '', warnings: [`${what} could not be decoded and became U+FFFD`] }
  }
}

/**
 * The text of a file in whatever encoding, without its byte-order mark.
 * @param onLiterals hears how many U+FFFD are written out in the bytes that were read
 */
export async function* decodedText(file: FileBytes, onLiterals?: (count: number) => void): AsyncGenerator<string> {
  const charset = await detectCharset(file.open())
  const decoder = charset.createDecoder()
  const literals = new LiteralReplacements(charset.name)
  let isFirst = true
  for await (const bytes of file.open()) {
    onLiterals?.(literals.in(bytes))
    const text = decoder.write(bytes)
    if (text === '') continue
    yield storable(isFirst ? text.replace(/^\uFEFF/, '') : text)
    isFirst = false
  }
  const rest = decoder.end()
  if (rest !== '') yield storable(rest)
}
