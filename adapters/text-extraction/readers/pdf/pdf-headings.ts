import type { HeadingMark } from '../../../../src/ports/index.js'
import { headingMarks } from '../marks.js'
import { FontHeadings } from './pdf-font-headings.js'
import type { PdfLine } from './pdf-lines.js'
import { type PdfOutline, SqueezedText } from './pdf-outline.js'

/** The sections of a PDF by its outline. If the outline tells none, or only a title, the fonts show them. */
export class PdfHeadings {
  /** The number of sections of the outline. One alone is the title of the whole file. */
  readonly #outlined: number
  readonly #fonts = new FontHeadings()

  constructor(private readonly outline: PdfOutline) {
    this.#outlined = outline.size
  }

  /**
   * Marks the sections that begin on the next page.
   * @param text the text of the page
   * @param lines its lines
   * @param next the lines of the page after it
   */
  marksOf(page: number, text: string, lines: readonly PdfLine[], next: readonly PdfLine[]): HeadingMark[] {
    const outlined = this.outline.marksOf(page, text)
    if (this.#outlined > 1) return outlined
    const headings = this.#fonts.of(lines, next)
    if (headings.length === 0) return outlined
    const squeezed = new SqueezedText(text)
    const marks: HeadingMark[] = []
    let from = 0
    for (const { title, level } of headings) {
      const at = squeezed.lineOf(title, from)
      // A line that the text has in another form has no place.
      if (at === undefined) continue
      marks.push(...headingMarks(at, title, level + this.#outlined))
      from = at + title.length
    }
    const titles = new Set(marks.map(({ heading }) => heading))
    return [...outlined.filter(({ heading }) => !titles.has(heading)), ...marks].sort((one, other) => one.at - other.at)
  }
}
