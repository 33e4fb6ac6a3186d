import { type ExtractedPiece, ExtractionError } from '../../../src/ports/index.js'
import { type Charset, detectCharset } from '../charsets/charset.js'
import { LiteralReplacements } from '../charsets/literal-replacements.js'
import { type FileBytes, storable } from './reader.js'

/** So many characters that cannot be decoded may stand in any text. */
const FEW_REPLACED = 2
/** After so many it is not worth reading on. */
const MANY_REPLACED = 10_000

/** The text of a file in whatever encoding. */
export class DecodedText {
  readonly #file: FileBytes
  readonly #charset: Charset
  #replaced = 0
  #zeros = 0
  /** Characters outside ASCII. */
  #foreign = 0

  private constructor(file: FileBytes, charset: Charset) {
    this.#file = file
    this.#charset = charset
  }

  /** @throws ExtractionError `ERR_UNDECODABLE_TEXT` where the encoding is unknown, or not decoded here */
  static async of(file: FileBytes): Promise<DecodedText> {
    return new DecodedText(file, await detectCharset(file.open()))
  }

  /**
   * From the beginning, without byte-order mark. A U+FFFD that stands in the file itself
   * was decoded as well as any other character.
   *
   * @throws ExtractionError `ERR_UNDECODABLE_TEXT` where so much cannot be decoded that the encoding must be another
   */
  async *pieces(): AsyncGenerator<string> {
    this.#replaced = 0
    this.#zeros = 0
    this.#foreign = 0
    const decoder = this.#charset.createDecoder()
    const literals = new LiteralReplacements(this.#charset.name)
    let isFirst = true
    for await (const bytes of this.#file.open()) {
      this.#replaced -= literals.in(bytes)
      const text = decoder.write(bytes)
      if (text === '') continue
      yield this.#counted(isFirst ? text.replace(/^\uFEFF/, '') : text)
      isFirst = false
      if (this.#replaced > MANY_REPLACED) this.#refuseGarbled()
    }
    const rest = decoder.end()
    if (rest !== '') yield this.#counted(rest)
    this.#refuseGarbled()
  }

  /** A piece without text that says what was doubtful, where anything was. */
  *warning(): Generator<ExtractedPiece> {
    const warnings: string[] = []
    if (this.#charset.isUnsure) {
      warnings.push(
        `too little tells the encoding: the text was read as ${this.#charset.name}, save it as UTF-8 if that is wrong`,
      )
    }
    if (this.#replaced > 0) {
      const what = this.#replaced === 1 ? '1 character' : `${this.#replaced} characters`
      warnings.push(`${what} could not be decoded and became U+FFFD`)
    }
    if (this.#zeros > 0)
      warnings.push(`${this.#zeros === 1 ? '1 zero' : `${this.#zeros} zeros`} between characters became U+FFFD`)
    if (warnings.length > 0) yield { text: '', warnings }
  }

  #counted(text: string): string {
    this.#replaced += text.split('\uFFFD').length - 1
    this.#zeros += text.split('\0').length - 1
    if (this.#charset.mostReplaced < 1) {
      for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) >= 0x80) this.#foreign += 1
    }
    return storable(text)
  }

  #refuseGarbled(): void {
    const { name, mostReplaced } = this.#charset
    if (mostReplaced === 1 || this.#replaced <= Math.max(FEW_REPLACED, this.#foreign * mostReplaced)) return
    throw new ExtractionError(
      'ERR_UNDECODABLE_TEXT',
      `The text looks like ${name}, but ${this.#replaced} of its characters cannot be decoded as that: convert it to UTF-8`,
    )
  }
}
