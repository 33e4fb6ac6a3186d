import { ExtractionError } from '../../../src/ports/index.js'
import { type Charset, detectCharset } from '../charsets/charset.js'
import { LiteralReplacements } from '../charsets/literal-replacements.js'
import { MarkdownHeadings } from './markdown-headings.js'
import { type FileBytes, storable, warning } from './reader.js'
import type { ReaderPiece, ReaderWarning } from './reader-piece.js'

/** Reads plain text unchanged. */
export async function* readText(file: FileBytes): AsyncGenerator<ReaderPiece> {
  const decoded = await DecodedText.of(file)
  for await (const text of decoded.pieces()) yield { text }
  yield* decoded.warning()
}

/** Reads XML unchanged. Its declaration tells the encoding if the text is no Unicode. */
export async function* readXml(file: FileBytes): AsyncGenerator<ReaderPiece> {
  const decoded = await DecodedText.of(file, await xmlCharset(file))
  for await (const text of decoded.pieces()) yield { text }
  yield* decoded.warning()
}

/** The encoding that an XML declaration names. */
async function xmlCharset(file: FileBytes): Promise<string | undefined> {
  for await (const bytes of file.open()) {
    const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1')
    return /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(head)?.[1]
  }
  return undefined
}

/** Reads Markdown unchanged, and marks its headings. */
export async function* readMarkdown(file: FileBytes): AsyncGenerator<ReaderPiece> {
  const decoded = await DecodedText.of(file)
  const headings = new MarkdownHeadings()
  for await (const text of decoded.pieces()) yield headings.push(text)
  yield headings.end()
  yield* decoded.warning()
}

export function encodingUnsure(name: string): ReaderWarning {
  const message = `the encoding is not certain: the text was read as ${name}; if that is wrong, save it as UTF-8`
  return warning(message, 'encoding-unsure', { name })
}

/** Any text may have this many characters that cannot be decoded. */
const FEW_REPLACED = 2
/** After this many replaced characters, the check runs before the end of the file. */
const MANY_REPLACED = 10_000

/** The text of a file in any encoding. */
export class DecodedText {
  #replaced = 0
  #zeros = 0
  /** The number of characters outside ASCII. */
  #nonAscii = 0

  private constructor(
    private readonly file: FileBytes,
    private readonly charset: Charset,
  ) {}

  /**
   * @param declared the encoding that the file declares, if it does
   * @throws ExtractionError `ERR_UNDECODABLE_TEXT` if the encoding is unknown or has no decoder
   */
  static async of(file: FileBytes, declared?: string): Promise<DecodedText> {
    return new DecodedText(file, await detectCharset(file.open(), declared))
  }

  /**
   * Yields the text from its beginning, without byte-order mark. A U+FFFD in the file itself counts as decoded.
   *
   * @throws ExtractionError `ERR_UNDECODABLE_TEXT` if so much cannot be decoded that the encoding must be another one
   */
  async *pieces(): AsyncGenerator<string> {
    this.#replaced = 0
    this.#zeros = 0
    this.#nonAscii = 0
    const decoder = this.charset.createDecoder()
    const literals = new LiteralReplacements(this.charset.name)
    let isFirst = true
    for await (const bytes of this.file.open()) {
      this.#replaced -= literals.countIn(bytes)
      const text = decoder.write(bytes)
      if (text === '') continue
      yield this.#countAndClean(isFirst ? text.replace(/^\uFEFF/, '') : text)
      isFirst = false
      if (this.#replaced > MANY_REPLACED) this.#refuseGarbled()
    }
    const rest = decoder.end()
    if (rest !== '') yield this.#countAndClean(rest)
    this.#refuseGarbled()
  }

  /** Yields a piece without text, with warnings about the encoding, if there are any. */
  *warning(): Generator<ReaderPiece> {
    const warnings: ReaderWarning[] = []
    if (this.charset.isUnsure) warnings.push(encodingUnsure(this.charset.name))
    if (this.#replaced > 0) {
      const count = this.#replaced
      const characters = count === 1 ? '1 character' : `${count} characters`
      warnings.push(
        warning(`${characters} could not be decoded and became U+FFFD`, 'characters-undecodable', { count }),
      )
    }
    if (this.#zeros > 0) {
      const count = this.#zeros
      const characters = count === 1 ? '1 zero character' : `${count} zero characters`
      warnings.push(warning(`${characters} became U+FFFD`, 'zero-characters', { count }))
    }
    if (warnings.length > 0) yield { text: '', warnings }
  }

  #countAndClean(text: string): string {
    this.#replaced += text.split('\uFFFD').length - 1
    this.#zeros += text.split('\0').length - 1
    if (this.charset.maxReplacedShare < 1) {
      for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) >= 0x80) this.#nonAscii += 1
    }
    return storable(text)
  }

  #refuseGarbled(): void {
    const { name, maxReplacedShare } = this.charset
    if (maxReplacedShare === 1 || this.#replaced <= Math.max(FEW_REPLACED, this.#nonAscii * maxReplacedShare)) return
    throw new ExtractionError(
      'ERR_UNDECODABLE_TEXT',
      `The text looks like ${name}, but ${this.#replaced} of its characters cannot be decoded as that: convert it to UTF-8`,
    )
  }
}
