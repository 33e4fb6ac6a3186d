import type { DocStreams } from './doc-container.js'

/** A property and its value ([MS-DOC] 2.6). */
type VisitProperty = (property: number, value: Buffer) => void

/** A range of the main stream whose bytes have the same properties. */
export interface PropertyRun {
  readonly start: number
  readonly end: number
  readonly list: Buffer
  /** The number of the paragraph style. */
  readonly style: number
}

const PAGE_BYTES = 512
/** The positions of the tables of pages in the table stream ([MS-DOC] 2.5.6). */
const CHARACTER_PAGES = 0x00fa
const PARAGRAPH_PAGES = 0x0102
const TABLE_DEFINITION = 0xd608
const TABS_CHANGE = 0xc615
const HUGE_LIST = 0x6646
/** The length of a value by the highest three bits of the property. 0: the first byte is the length. */
const VALUE_BYTES = [1, 1, 2, 4, 2, 2, 0, 3] as const

/** The runs of characters, sorted by offset. */
export function characterRuns(streams: DocStreams): PropertyRun[] {
  return runs(streams, CHARACTER_PAGES, 1, (page, offset) => {
    const size = page[offset] ?? 0
    return { list: page.subarray(offset + 1, offset + 1 + size), style: 0 }
  })
}

/** The paragraphs, sorted by offset. */
export function paragraphRuns(streams: DocStreams): PropertyRun[] {
  return runs(streams, PARAGRAPH_PAGES, 13, (page, offset) => {
    const size = page[offset] ?? 0
    const from = size === 0 ? offset + 2 : offset + 1
    const to = size === 0 ? from + 2 * (page[offset + 1] ?? 0) : from + 2 * size - 1
    const all = page.subarray(from, to)
    if (all.length < 2) return { list: Buffer.alloc(0), style: 0 }
    return { list: wholeList(all.subarray(2), streams.data), style: all.readUInt16LE(0) }
  })
}

/** The last run that begins at or before an offset, if it contains the offset. */
export function runAt(sorted: readonly PropertyRun[], offset: number): PropertyRun | undefined {
  const run = sorted[firstAfter(sorted, offset) - 1]
  return run !== undefined && offset < run.end ? run : undefined
}

/** The index of the first run that begins after an offset. */
export function firstAfter(sorted: readonly PropertyRun[], offset: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle]?.start ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return low
}

/** Visits a list of properties, up to the first incomplete one. */
export function visitProperties(list: Buffer, visit: VisitProperty): void {
  for (let offset = 0; offset + 3 <= list.length; ) {
    const property = list.readUInt16LE(offset)
    offset += 2
    let size: number = VALUE_BYTES[property >>> 13] ?? 0
    if (property === TABLE_DEFINITION && offset + 2 <= list.length) {
      size = list.readUInt16LE(offset) - 1
      offset += 2
    } else if (size === 0) {
      size = list[offset] ?? 0
      // A list of tabs can be too long for its length byte. The rest of the list cannot be read then.
      if (property === TABS_CHANGE && size === 255) return
      offset += 1
    }
    visit(property, list.subarray(offset, offset + size))
    offset += Math.max(0, size)
  }
}

function runs(
  { main, table }: DocStreams,
  pagesPosition: number,
  entryBytes: number,
  read: (page: Buffer, offset: number) => Pick<PropertyRun, 'list' | 'style'>,
): PropertyRun[] {
  const start = main.readUInt32LE(pagesPosition)
  const count = Math.floor((main.readUInt32LE(pagesPosition + 4) - 4) / 8)
  const found: PropertyRun[] = []
  for (let index = 0; index < count; index += 1) {
    const number = table.readUInt32LE(start + (count + 1) * 4 + index * 4) & 0x3f_ffff
    const page = main.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES)
    if (page.length < PAGE_BYTES) continue
    const runCount = page[PAGE_BYTES - 1] ?? 0
    if ((runCount + 1) * 4 + runCount * entryBytes > PAGE_BYTES - 1) continue
    for (let run = 0; run < runCount; run += 1) {
      const offset = 2 * (page[(runCount + 1) * 4 + run * entryBytes] ?? 0)
      const properties = offset === 0 ? { list: Buffer.alloc(0), style: 0 } : read(page, offset)
      found.push({ start: page.readUInt32LE(run * 4), end: page.readUInt32LE(run * 4 + 4), ...properties })
    }
  }
  return found.sort((first, second) => first.start - second.start)
}

/** Adds the properties of wide tables, which are in the data stream. */
function wholeList(list: Buffer, data: Buffer): Buffer {
  let whole = list
  visitProperties(list, (property, value) => {
    if (property !== HUGE_LIST || value.length < 4) return
    const offset = value.readUInt32LE(0)
    if (offset + 2 > data.length) return
    whole = Buffer.concat([list, data.subarray(offset + 2, offset + 2 + data.readUInt16LE(offset))])
  })
  return whole
}
