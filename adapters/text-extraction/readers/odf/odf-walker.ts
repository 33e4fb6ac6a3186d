// cspell:ignore loext officeooo
import type { Attributes, XmlVisitor } from '../docx/docx-xml.js'

/** Receives the elements of an OpenDocument part that are shown, and the text of its paragraphs. */
export interface OdfHandler {
  open(name: string, attribute: Attributes, parent: string | undefined): void
  close(name: string, parent: string | undefined): void
  /** Adds text to the open paragraph. */
  write(text: string): void
  /** Keeps the text that is written from here on separate, until {@link endCapture}. */
  capture(): void
  endCapture(): string
  /** True for an element that is left out with all that is in it. Default: none. */
  hides?(name: string, attribute: Attributes, parent: string | undefined): boolean
}

/** Elements that nobody sees in a document: deletions, the signs of notes, forms, scripts and lists of names. */
const HIDDEN = new Set([
  'text:tracked-changes',
  'table:tracked-changes',
  'text:note-citation',
  'text:script',
  'text:sequence-decls',
  'text:variable-decls',
  'text:user-field-decls',
  'office:forms',
  'office:binary-data',
  'office:event-listeners',
])
/** Elements whose text is a paragraph. */
const PARAGRAPH = new Set(['text:p', 'text:h', 'presentation:footer-decl', 'presentation:header-decl'])
/** Elements inside a paragraph whose text belongs to it. Notes, comments and drawings have paragraphs of their own. */
const INLINE = /^(?:text:(?!note$|note-body$|note-citation$)|loext:|presentation:|dr3d:|officeooo:)/
/** A hostile file may ask for any number of spaces. */
const MAX_SPACES = 200

/** Tells a handler the text of paragraphs: white space is one space, except where the document says more. */
export class OdfWalker implements XmlVisitor {
  readonly #path: string[] = []
  /** For each open element: true if its text belongs to a paragraph. */
  readonly #inline: boolean[] = []
  #hiddenDepth = 0
  /** True if a space is not written now: at the beginning, and behind another one. */
  #endsBlank = true
  #reading = ''

  constructor(private readonly handler: OdfHandler) {}

  open(name: string, attribute: Attributes): void {
    const parent = this.#path.at(-1)
    this.#path.push(name)
    if (this.#hiddenDepth > 0 || this.#isHidden(name, attribute, parent)) {
      this.#hiddenDepth += 1
      return
    }
    const isInParagraph = this.#inline.at(-1) === true
    const isParagraph = PARAGRAPH.has(name)
    this.#inline.push(isParagraph || (isInParagraph && INLINE.test(name)))
    if (isParagraph) this.#endsBlank = true
    if (isInParagraph) this.#writeElement(name, attribute)
    if (name === 'text:ruby-text') this.handler.capture()
    this.handler.open(name, attribute, parent)
  }

  close(name: string): void {
    this.#path.pop()
    if (this.#hiddenDepth > 0) {
      this.#hiddenDepth -= 1
      return
    }
    this.#inline.pop()
    // A formula is a word of the paragraph.
    if (PARAGRAPH.has(name) || name === 'draw:object') this.#endsBlank = false
    if (name === 'text:ruby-text') this.#reading = this.handler.endCapture()
    else if (name === 'text:ruby') this.#writeReading()
    this.handler.close(name, this.#path.at(-1))
  }

  text(text: string): void {
    if (this.#hiddenDepth > 0 || this.#inline.at(-1) !== true) return
    const line = text.replaceAll(/[\t\r\n ]+/g, ' ')
    const shown = this.#endsBlank && line.startsWith(' ') ? line.slice(1) : line
    if (shown === '') return
    this.#endsBlank = shown.endsWith(' ')
    this.handler.write(shown)
  }

  #isHidden(name: string, attribute: Attributes, parent: string | undefined): boolean {
    if (HIDDEN.has(name) || this.handler.hides?.(name, attribute, parent) === true) return true
    return name.startsWith('text:hidden-') && attribute('is-hidden') === 'true'
  }

  #writeElement(name: string, attribute: Attributes): void {
    if (name === 'text:s') this.#writeSign(' '.repeat(Math.min(MAX_SPACES, countIn(attribute('c')))))
    else if (name === 'text:tab') this.#writeSign('\t')
    else if (name === 'text:line-break') this.#writeSign('\n')
  }

  #writeSign(sign: string): void {
    this.#endsBlank = false
    this.handler.write(sign)
  }

  /** Writes the reading of a word (ruby) in parentheses behind it. */
  #writeReading(): void {
    if (this.#reading.trim() !== '') this.handler.write(`(${this.#reading.trim()})`)
    this.#reading = ''
  }
}

/** The number in an attribute; 1 without one. */
export function countIn(value: string | undefined): number {
  const count = Number(value)
  return value !== undefined && Number.isInteger(count) && count > 0 ? count : 1
}
