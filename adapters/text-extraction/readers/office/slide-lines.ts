import type { MarkedLines } from '../marked-lines.js'
import { warning } from '../reader.js'
import type { ReaderWarning } from '../reader-piece.js'

/** A hostile file may have any number of different texts in placeholders that repeat. */
export const MAX_REPEATED = 1_000

/** Notes the text of a placeholder that all slides repeat. @returns true for the first of them */
export function isFirst(text: string, repeated: Set<string>): boolean {
  if (repeated.has(text) || repeated.size >= MAX_REPEATED) return false
  repeated.add(text)
  return true
}

/** The paragraphs of a slide. */
export interface SlideLines {
  /** From 1. */
  readonly page: number
  readonly title: readonly string[]
  readonly body: readonly string[]
  readonly notes: readonly string[]
}

/** Adds a slide as a page, with its title as a heading. */
export function addSlide(out: MarkedLines, { page, title: lines, body, notes }: SlideLines): void {
  out.page(page)
  const title = lines.join(' ').replaceAll(/\s+/g, ' ')
  // Without it, the slide would belong to the title of the slide before.
  if (title === '') out.mark(`Slide ${page}`, 1)
  else out.heading(title, 1)
  for (const paragraph of body) out.add(paragraph)
  if (notes.length === 0) return
  out.leaveGap()
  out.add(`Notes: ${notes.join('\n')}`)
}

/** The warning about slides that the presentation does not show, if there are any. */
export function hiddenSlides(count: number): ReaderWarning[] {
  if (count === 0) return []
  const message = count === 1 ? '1 hidden slide is left out' : `${count} hidden slides are left out`
  return [warning(message, 'hidden-slides', { count })]
}
