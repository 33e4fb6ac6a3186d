import type { XmlVisitor } from '../docx/docx-xml.js'
import { fileTitle } from '../file-title.js'

/** A longer title is cut before it is read. */
const MAX_TITLE_CHARACTERS = 10_000

/** Finds the title in the XML of a file's properties: the text of the first element that is one. */
export class TitleProperty implements XmlVisitor {
  #text = ''
  #written: string | undefined

  constructor(private readonly isTitle: (element: string) => boolean) {}

  /** '' without one that says something. */
  get title(): string {
    return fileTitle(this.#written)
  }

  open(): void {
    this.#text = ''
  }

  close(element: string): void {
    if (this.isTitle(element)) this.#written ??= this.#text
  }

  text(more: string): void {
    if (this.#text.length < MAX_TITLE_CHARACTERS) this.#text += more
  }
}
