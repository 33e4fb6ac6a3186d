import { ExtractionError } from '../../../../src/ports/index.js'

/** The most characters that are checked before the first element. */
const MAX_PROLOG_CHARACTERS = 65_536
/** Parts that a Word file may contain and that no reader parses. */
const NEVER_PARSED = /\.(?:x?html?|mht|mhtml|svg|txt|rtf)$/i
const NAMED_XML = /\.(?:xml|rels)$/i

/** True if a part would be read as XML, by its name or its first bytes. */
export function isXmlPart(name: string, head: Uint8Array): boolean {
  if (NAMED_XML.test(name)) return true
  return !NEVER_PARSED.test(name) && /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*</.test(asciiOf(head.subarray(0, 1_024)))
}

/** Refuses a document type before the root of an XML part: Word writes none, and it can declare entities. */
export class XmlProlog {
  readonly #name: string
  #text = ''
  #isOver = false

  constructor(name: string) {
    this.#name = name
  }

  /** @throws ExtractionError `ERR_CORRUPT_FILE` */
  check(chunk: Uint8Array): void {
    if (this.#isOver) return
    this.#text += asciiOf(chunk.subarray(0, MAX_PROLOG_CHARACTERS))
    const isTooLong = this.#text.length >= MAX_PROLOG_CHARACTERS
    const prolog = /^(?:[^<]|<\?[^]*?\?>|<!--[^]*?-->)*/.exec(this.#text)?.[0] ?? ''
    const rest = this.#text.slice(prolog.length)
    if (/^<!(?!$|-$|--)/.test(rest)) {
      throw this.#refusal('has a document type (DOCTYPE), which no Word file has')
    }
    this.#isOver = /^<[^!?]/.test(rest)
    if (this.#isOver) this.#text = ''
    else if (isTooLong) throw this.#refusal('has no content at its beginning')
  }

  #refusal(problem: string): ExtractionError {
    return new ExtractionError(
      'ERR_CORRUPT_FILE',
      `${this.#name.slice(0, 100)} ${problem}: open and save the file with Word`,
    )
  }
}

/** The ASCII letters of a text in UTF-8 or UTF-16. */
function asciiOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1').replaceAll('\0', '')
}
