import type { ChunkPlace, HeadingMark, PageMark, StructureMark } from '../../ports/index.js'

/** The most headings of a path. The outermost ones are left out first: the nearest say most about a text. */
const MAX_HEADINGS = 6
/** The most characters of a path. */
const MAX_PATH_CHARACTERS = 600

/**
 * Finds the pages and headings of chunks while a text arrives. It keeps the marks of the text that later chunks may have,
 * not those of the whole text.
 */
export class Structure {
  /** Marks after the beginning of the last chunk, with offsets in the whole text. */
  #pages: PageMark[] = []
  #headings: HeadingMark[] = []
  /** The page and the open headings at the beginning of the last chunk. */
  #page: number | null = null
  #path: readonly HeadingMark[] = []

  /**
   * Adds the marks of a piece, before the chunker receives its text.
   * @param offset UTF-16 offset of the piece in the whole text
   */
  add(marks: readonly StructureMark[], offset: number): void {
    for (const mark of marks) {
      const placed = { ...mark, at: offset + mark.at }
      if ('page' in placed) this.#pages.push(placed)
      else this.#headings.push(placed)
    }
  }

  /**
   * The place of the next chunk. Chunks come in the order of their starts.
   * @param start UTF-16 offset of the chunk in the whole text
   */
  placeOf({ start, text }: { readonly start: number; readonly text: string }): ChunkPlace {
    const end = start + text.length
    const pagesBefore = countBefore(this.#pages, start + 1)
    this.#page = this.#pages[pagesBefore - 1]?.page ?? this.#page
    this.#pages.splice(0, pagesBefore)
    const later = this.#pages.slice(0, countBefore(this.#pages, end))
    const pageFirst = this.#page ?? later[0]?.page ?? null
    const pageLast = later.at(-1)?.page ?? this.#page
    const headingsBefore = countBefore(this.#headings, start + 1)
    for (const heading of this.#headings.splice(0, headingsBefore)) this.#path = under(this.#path, heading)
    const path = this.#withHeadingsInFront(start, text)
    return { pageFirst, pageLast, headings: shownPath(path) }
  }

  /**
   * Adds the headings at the front of a chunk that follow its first heading at once, each one level deeper or more: the
   * text of the chunk is below all of them.
   */
  #withHeadingsInFront(start: number, text: string): readonly HeadingMark[] {
    let path = this.#path
    for (const heading of this.#headings) {
      const above = path.at(-1)
      if (
        heading.heading === '' ||
        above === undefined ||
        // The title of the file is not in the text.
        above.level === 0 ||
        above.at < start ||
        heading.level <= above.level ||
        heading.at >= start + text.length
      )
        break
      if (!isOneHeading(text.slice(above.at - start, heading.at - start))) break
      path = under(path, heading)
    }
    return path
  }
}

/** Number of marks with an offset before `end`. */
function countBefore(marks: readonly StructureMark[], end: number): number {
  let count = 0
  while ((marks[count]?.at ?? end) < end) count += 1
  return count
}

/** The path to a heading below or beside the last one. */
function under(path: readonly HeadingMark[], heading: HeadingMark): readonly HeadingMark[] {
  const above = path.filter(({ level }) => level < heading.level)
  return heading.heading === '' ? above : [...above, heading]
}

/** True for a text of one line, or of one that is underlined. */
function isOneHeading(text: string): boolean {
  const [, ...others] = text.trim().split(/\s*[\r\n]\s*/)
  return others.every((line) => /^(?:=+|-+)$/.test(line))
}

function shownPath(path: readonly HeadingMark[]): readonly string[] {
  const headings = path
    .map(({ heading }) => heading)
    // The title of a file is often its first heading too.
    .filter((heading, at, all) => heading.toLowerCase() !== all[at - 1]?.toLowerCase())
    .slice(-MAX_HEADINGS)
  let characters = headings.reduce((sum, heading) => sum + heading.length, 0)
  while (characters > MAX_PATH_CHARACTERS) characters -= headings.shift()?.length ?? characters
  return headings
}
