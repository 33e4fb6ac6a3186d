import type { getDocumentProxy } from 'unpdf'
import type { HeadingMark } from '../../../../src/ports/index.js'
import { headingMarks } from '../marks.js'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>

/** An entry of an outline, from PDF.js. */
interface Entry {
  readonly title?: unknown
  /** A name, or a list that begins with the reference or the index of a page. */
  readonly dest?: unknown
  readonly items?: unknown
}

interface Section {
  readonly title: string
  readonly level: number
}

/** A hostile outline may have any number of entries, at any depth. */
const MAX_ENTRIES = 5_000
const MAX_LEVEL = 9
/** A longer title is cut before its search. */
const MAX_TITLE = 500
/** The number in front of a heading, which an outline may leave out. */
const NUMBERING = /^(?:[\p{L}]{0,10}[\dIVXLC]+(?:[.\-–][\dIVXLC]+)*[.:)–-]?)?$/u
/** A text that is found in this many places of a page is no heading. */
const MAX_PLACES = 50

/** The sections of a PDF by its outline (bookmarks). */
export class PdfOutline {
  private constructor(private readonly sections: ReadonlyMap<number, readonly Section[]>) {}

  /** Reads the outline. A PDF without one, or with a damaged one, has no sections. */
  static async read(pdf: Pdf): Promise<PdfOutline> {
    const sections = new Map<number, Section[]>()
    const pages = new Map<string, number | undefined>()
    for (const { entry, level } of flatEntries(await pdf.getOutline().catch(() => null))) {
      const page = await pageOf(pdf, entry.dest, pages)
      if (page === undefined || typeof entry.title !== 'string') continue
      const section = { title: entry.title, level }
      const others = sections.get(page)
      if (others === undefined) sections.set(page, [section])
      else others.push(section)
    }
    return new PdfOutline(sections)
  }

  /** The number of sections. */
  get size(): number {
    return [...this.sections.values()].reduce((sum, sections) => sum + sections.length, 0)
  }

  /**
   * Marks the sections that begin on a page: at the line with their title, or else at the beginning of the page.
   * @param text the text of the page
   */
  marksOf(page: number, text: string): HeadingMark[] {
    const sections = this.sections.get(page)
    if (sections === undefined) return []
    const lines = new SqueezedText(text)
    return sections
      .flatMap(({ title, level }) => headingMarks(lines.lineOf(title) ?? 0, title, level))
      .sort((first, second) => first.at - second.at)
  }
}

function flatEntries(outline: unknown): { readonly entry: Entry; readonly level: number }[] {
  const found: { readonly entry: Entry; readonly level: number }[] = []
  const waiting = entriesOf(outline, 1).reverse()
  for (let next = waiting.pop(); next !== undefined && found.length < MAX_ENTRIES; next = waiting.pop()) {
    found.push(next)
    if (next.level < MAX_LEVEL) waiting.push(...entriesOf(next.entry.items, next.level + 1).reverse())
  }
  return found
}

function entriesOf(items: unknown, level: number): { readonly entry: Entry; readonly level: number }[] {
  return (Array.isArray(items) ? items.slice(0, MAX_ENTRIES) : []).map((entry: unknown) => {
    return { entry: entry ?? {}, level }
  })
}

/** The number of the page of a destination, from 1; `undefined` if it has none. */
async function pageOf(pdf: Pdf, dest: unknown, known: Map<string, number | undefined>): Promise<number | undefined> {
  const key = JSON.stringify([Array.isArray(dest) ? (dest[0] as unknown) : dest])
  if (!known.has(key)) known.set(key, await findPage(pdf, dest).catch(() => undefined))
  return known.get(key)
}

async function findPage(pdf: Pdf, dest: unknown): Promise<number | undefined> {
  const explicit: unknown = typeof dest === 'string' ? await pdf.getDestination(dest) : dest
  const page: unknown = Array.isArray(explicit) ? explicit[0] : undefined
  if (typeof page === 'number') return page + 1
  if (typeof page !== 'object' || page === null || !('num' in page)) return undefined
  return (await pdf.getPageIndex(page as Parameters<Pdf['getPageIndex']>[0])) + 1
}

/** A text without white space and case, in which a title is found across its line breaks. */
export class SqueezedText {
  readonly #squeezed: string
  /** Offset in the text of each unit of the squeezed text. */
  readonly #offsets: number[] = []

  constructor(private readonly text: string) {
    this.#squeezed = squeeze(text)
    for (const { index, 0: word } of text.matchAll(/[^\s\0]+/g)) {
      for (let unit = 0; unit < word.length; unit += 1) this.#offsets.push(index + unit)
    }
  }

  /**
   * The beginning of the first line that begins with a title, or with a number and a title.
   * @param from offset in the text of the first place that counts
   */
  lineOf(title: string, from: number = 0): number | undefined {
    const wanted = squeeze(title.slice(0, MAX_TITLE))
    if (wanted === '') return undefined
    const first = from === 0 ? 0 : this.#offsets.findIndex((offset) => offset >= from)
    if (first < 0) return undefined
    let place = this.#squeezed.indexOf(wanted, first)
    for (let tries = 0; place >= 0 && tries < MAX_PLACES; tries += 1) {
      const at = this.#offsets[place] ?? 0
      const line = this.text.lastIndexOf('\n', at) + 1
      if (at - line <= 20 && NUMBERING.test(this.text.slice(line, at).trim())) return line
      place = this.#squeezed.indexOf(wanted, place + 1)
    }
    return undefined
  }
}

/** Lower case without white space. Keeps characters whose lower case has another length, so that offsets stay valid. */
function squeeze(text: string): string {
  return text.replaceAll(/[\s\0]+/g, '').replaceAll(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase()
    return lower.length === letter.length ? lower : letter
  })
}
