import { ExtractionError } from '../../../../src/ports/index.js'

/** What stands before the first element, or as much of it as is looked at. */
const MAX_PROLOG_CHARACTERS = 65_536
/** Parts that a Word file may carry as they are: nothing reads them. */
const CARRIED = /\.(?:x?html?|mht|mhtml|svg|txt|rtf)$/i
const NAMED_XML = /\.(?:xml|rels)$/i

/** Whether a part would be read as XML: by its name, or by how it begins. */
export function isXmlPart(name: string, head: Uint8Array): boolean {
  if (NAMED_XML.test(name)) return true
  return !CARRIED.test(name) && /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*</.test(asciiOf(head.subarray(0, 1_024)))
}

/** Looks for a document type before the root of a part of XML: Word writes none, and entities come by it. */
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
    const isAll = this.#text.length >= MAX_PROLOG_CHARACTERS
    const prolog = /^(?:[^<]|<\?[^]*?\?>|<!--[^]*?-->)*/.exec(this.#text)?.[0] ?? ''
    const next = this.#text.slice(prolog.length)
    if (/^<!(?!$|-$|--)/.test(next)) {
      throw this.#refused('has a document type (DOCTYPE), which no Word file has')
    }
    this.#isOver = /^<[^!?]/.test(next)
    if (this.#isOver) this.#text = ''
    else if (isAll) throw this.#refused('has no content where it should begin')
  }

  #refused(what: string): ExtractionError {
    return new ExtractionError('ERR_CORRUPT_FILE', `${this.#name.slice(0, 100)} ${what}: save it again with Word`)
  }
}

/** Letters of ASCII as they are, in UTF-8 and UTF-16 alike. */
function asciiOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1').replaceAll('\0', '')
}
