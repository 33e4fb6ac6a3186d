import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { ExtractionError } from '../../../../src/ports/index.js'

/** Receives the tags and texts of a page in their order. Names are in lower case. */
export interface HtmlVisitor {
  open(name: string, attributes: ReadonlyMap<string, string>): void
  close(name: string): void
  text(text: string): void
}

/** The attributes that a visitor gets. Others, such as embedded pictures, are not kept. */
const KEPT = new Set(['alt', 'colspan', 'epub:type', 'hidden', 'rowspan', 'start', 'style'])
const MAX_VALUE_CHARACTERS = 10_000
/** The most characters of one tag or comment. */
const MAX_TOKEN_CHARACTERS = 64 * 1_048_576

/**
 * Turns the text of a page into events while it is read.
 *
 * It uses the tokenizer of htmlparser2 alone. The parser above it moves its whole list of open elements for each tag,
 * so that a page of a million nested elements would take hours.
 */
export class HtmlEvents implements TokenizerCallbacks {
  readonly #tokenizer: Tokenizer
  /** The text from {@link #offset} on. */
  #text = ''
  #offset = 0
  /** The end of the last event. Text before it is not needed any more. */
  #consumed = 0
  #name = ''
  #attribute = ''
  #value = ''
  #attributes = new Map<string, string>()

  /** @param isXml true for XHTML, in which every element may close itself */
  constructor(
    private readonly visitor: HtmlVisitor,
    private readonly isXml: boolean,
  ) {
    this.#tokenizer = new Tokenizer({ recognizeSelfClosing: isXml, decodeEntities: true }, this)
  }

  /** @throws ExtractionError `ERR_EXTRACTION_LIMIT` for a tag or comment that is too long */
  write(text: string): void {
    this.#text = this.#text.slice(this.#consumed - this.#offset) + text
    this.#offset = this.#consumed
    if (this.#text.length > MAX_TOKEN_CHARACTERS) {
      throw new ExtractionError('ERR_EXTRACTION_LIMIT', 'The page has a tag or comment of more than 64 MB: split it')
    }
    this.#tokenizer.write(text)
  }

  end(): void {
    this.#tokenizer.end()
  }

  ontext(start: number, end: number): void {
    this.visitor.text(this.#slice(start, end))
  }

  ontextentity(codePoint: number, end: number): void {
    this.#consumed = end
    this.visitor.text(String.fromCodePoint(codePoint))
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#slice(start, end).toLowerCase()
    this.#attributes = new Map()
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#slice(start, end).toLowerCase()
    this.#value = ''
  }

  onattribdata(start: number, end: number): void {
    this.#consumed = end
    if (KEPT.has(this.#attribute) && this.#value.length < MAX_VALUE_CHARACTERS) this.#value += this.#slice(start, end)
  }

  onattribentity(codePoint: number): void {
    if (KEPT.has(this.#attribute)) this.#value += String.fromCodePoint(codePoint)
  }

  onattribend(_quote: unknown, end: number): void {
    this.#consumed = end
    if (KEPT.has(this.#attribute) && !this.#attributes.has(this.#attribute)) {
      this.#attributes.set(this.#attribute, this.#value)
    }
  }

  onopentagend(end: number): void {
    this.#consumed = end
    this.visitor.open(this.#name, this.#attributes)
  }

  onselfclosingtag(end: number): void {
    this.onopentagend(end)
    if (this.isXml) this.visitor.close(this.#name)
  }

  onclosetag(start: number, end: number): void {
    this.visitor.close(this.#slice(start, end).toLowerCase())
  }

  oncdata(start: number, end: number, endOffset: number): void {
    // In HTML this is a comment.
    if (this.isXml) this.visitor.text(this.#slice(start, end - endOffset))
    this.#consumed = end
  }

  oncomment(_start: number, end: number): void {
    this.#consumed = end
  }

  ondeclaration(_start: number, end: number): void {
    this.#consumed = end
  }

  onprocessinginstruction(_start: number, end: number): void {
    this.#consumed = end
  }

  onend(): void {
    this.#text = ''
  }

  #slice(start: number, end: number): string {
    this.#consumed = Math.max(this.#consumed, end)
    return this.#text.slice(start - this.#offset, end - this.#offset)
  }
}
