import type { DocStreams } from './doc-container.js'

/** A property and its value ([MS-DOC] 2.6). */
export type VisitProperty = (property: number, value: Buffer) => void

/** Bytes of the main stream that have the same properties. */
export interface PropertyRun {
  readonly start: number
  readonly end: number
  readonly list: Buffer
  /** Number of a paragraph's style. */
  readonly style: number
}

const PAGE_BYTES = 512
/** Places of the tables of pages in the table stream ([MS-DOC] 2.5.6). */
const CHARACTER_PAGES = 0x00fa
const PARAGRAPH_PAGES = 0x0102
const TABLE_DEFINITION = 0xd608
const TABS_CHANGE = 0xc615
const HUGE_LIST = 0x6646
/** Length of a value by the property's highest three bits; 0 where the first byte tells it. */
const VALUE_BYTES = [1, 1, 2, 4, 2, 2, 0, 3] as const

/** Runs of characters, by place. */
export function characterRuns(streams: DocStreams): PropertyRun[] {
  return runs(streams, CHARACTER_PAGES, 1, (page, at) => {
    const size = page[at] ?? 0
    return { list: page.subarray(at + 1, at + 1 + size), style: 0 }
  })
}

/** Paragraphs, by place. */
export function paragraphRuns(streams: DocStreams): PropertyRun[] {
  return runs(streams, PARAGRAPH_PAGES, 13, (page, at) => {
    const size = page[at] ?? 0
    const from = size === 0 ? at + 2 : at + 1
    const to = size === 0 ? from + 2 * (page[at + 1] ?? 0) : from + 2 * size - 1
    const all = page.subarray(from, to)
    if (all.length < 2) return { list: Buffer.alloc(0), style: 0 }
    return { list: wholeList(all.subarray(2), streams.data), style: all.readUInt16LE(0) }
  })
}

/** The last run that begins at a place or before it, if it reaches to it. */
export function runAt(sorted: readonly PropertyRun[], place: number): PropertyRun | undefined {
  const run = sorted[firstAfter(sorted, place) - 1]
  return run !== undefined && place < run.end ? run : undefined
}

/** Index of the first run that begins after a place. */
export function firstAfter(sorted: readonly PropertyRun[], place: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle]?.start ?? 0) <= place) low = middle + 1
    else high = middle
  }
  return low
}

/** Goes through a list of properties as far as it is whole. */
export function visitProperties(list: Buffer, visit: VisitProperty): void {
  for (let at = 0; at + 3 <= list.length; ) {
    const property = list.readUInt16LE(at)
    at += 2
    let size: number = VALUE_BYTES[property >>> 13] ?? 0
    if (property === TABLE_DEFINITION && at + 2 <= list.length) {
      size = list.readUInt16LE(at) - 1
      at += 2
    } else if (size === 0) {
      size = list[at] ?? 0
      // A list of tabs that is too long for its length ends the list.
      if (property === TABS_CHANGE && size === 255) return
      at += 1
    }
    visit(property, list.subarray(at, at + size))
    at += Math.max(0, size)
  }
}

function runs(
  { main, table }: DocStreams,
  place: number,
  entryBytes: number,
  read: (page: Buffer, at: number) => Pick<PropertyRun, 'list' | 'style'>,
): PropertyRun[] {
  const start = main.readUInt32LE(place)
  const count = Math.floor((main.readUInt32LE(place + 4) - 4) / 8)
  const found: PropertyRun[] = []
  for (let index = 0; index < count; index += 1) {
    const number = table.readUInt32LE(start + (count + 1) * 4 + index * 4) & 0x3f_ffff
    const page = main.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES)
    if (page.length < PAGE_BYTES) continue
    const runCount = page[PAGE_BYTES - 1] ?? 0
    if ((runCount + 1) * 4 + runCount * entryBytes > PAGE_BYTES - 1) continue
    for (let run = 0; run < runCount; run += 1) {
      const at = 2 * (page[(runCount + 1) * 4 + run * entryBytes] ?? 0)
      const properties = at === 0 ? { list: Buffer.alloc(0), style: 0 } : read(page, at)
      found.push({ start: page.readUInt32LE(run * 4), end: page.readUInt32LE(run * 4 + 4), ...properties })
    }
  }
  return found.sort((one, other) => one.start - other.start)
}

/** Properties of wide tables lie in a stream of their own. */
function wholeList(list: Buffer, data: Buffer): Buffer {
  let whole = list
  visitProperties(list, (property, value) => {
    if (property !== HUGE_LIST || value.length < 4) return
    const at = value.readUInt32LE(0)
    if (at + 2 <= data.length) whole = Buffer.concat([list, data.subarray(at + 2, at + 2 + data.readUInt16LE(at))])
  })
  return whole
}
