import type { TextItem } from './pdf-page-text.js'

/** The least gap between two columns, in parts of the font size. */
const GUTTER = 1
/** Fewer lines with text on both sides do not prove that they are columns. */
const MIN_LINES = 6
/** At least half of the lines of a column have this length. Shorter ones are cells of a table. */
const MIN_CHARACTERS = 20
/** A line of a column ends near its edge: within this share of its width. `FULL_SHARE` of the lines do so. */
const EDGE = 0.2
const FULL_SHARE = 0.6

/** Text of one line without wide gaps, in the order of the file. */
interface Segment {
  readonly items: TextItem[]
  readonly size: number
  readonly x: number
  readonly y: number
  end: number
  characters: number
}

/** The segments of one line, from left to right. */
type Row = readonly Segment[]

/**
 * Some files write columns line by line across the page. This function puts their text into reading order. If the
 * positions do not clearly show columns, it changes nothing.
 */
export function inColumns(items: readonly TextItem[]): readonly TextItem[] {
  const rows = rowsOf(items)
  const ordered: TextItem[][] = []
  let isChanged = false
  for (let index = 0; index < rows.length; ) {
    const block = blockAt(rows, index)
    if (isRunningText(block)) {
      isChanged = true
      for (const side of [0, 1]) ordered.push(...block.map((row) => lineOf(row[side])))
    } else {
      for (const row of block) ordered.push(...row.map((segment) => segment.items))
    }
    index += block.length
  }
  return isChanged ? ordered.flat() : items
}

/** Groups items into segments and lines. */
function rowsOf(items: readonly TextItem[]): Row[] {
  const rows: Segment[][] = []
  let last: Segment | undefined
  for (const item of items) {
    const [a = 1, b = 0, , , x = 0, y = 0] = item.transform
    const isLevel = b === 0 && a > 0 && item.dir !== 'ttb'
    const isEmpty = item.str.trim() === ''
    if (last !== undefined && isEmpty) {
      last.items.push(item)
      continue
    }
    const isInLine = last !== undefined && isLevel && Math.abs(last.y - y) < last.size * 0.3
    const gap = last === undefined ? 0 : x - last.end
    if (last !== undefined && isInLine && Math.abs(gap) < last.size * GUTTER) {
      last.items.push(item)
      last.end = x + item.width
      last.characters += item.str.length
      continue
    }
    const isBeside = last !== undefined && isInLine && gap > 0
    last = { items: [item], size: a || 1, x, y, end: x + item.width, characters: item.str.length }
    if (isBeside) rows.at(-1)?.push(last)
    else rows.push([last])
  }
  return rows
}

/** The rows from an index on with two segments each and one gutter through all of them. Otherwise only that row. */
function blockAt(rows: readonly Row[], from: number): Row[] {
  let edge = -Infinity
  let start = Infinity
  let to = from
  for (; to < rows.length; to += 1) {
    const [left, right, ...others] = rows[to] ?? []
    if (left === undefined || right === undefined || others.length > 0) break
    const above = to === from ? undefined : rows[to - 1]?.[0]
    const step = above === undefined ? left.size : above.y - left.y
    edge = Math.max(edge, left.end)
    start = Math.min(start, right.x)
    if (step <= 0 || step > left.size * 3 || start - edge < left.size * GUTTER) break
  }
  return rows.slice(from, Math.max(to, from + 1))
}

/** True if both sides of a block are running text. */
function isRunningText(block: readonly Row[]): boolean {
  return block.length >= MIN_LINES && [0, 1].every((side) => isColumn(block.flatMap((row) => row[side] ?? [])))
}

function isColumn(lines: readonly Segment[]): boolean {
  const left = lines.reduce((min, { x }) => Math.min(min, x), Infinity)
  const right = lines.reduce((max, { end }) => Math.max(max, end), -Infinity)
  const width = right - left
  const full = lines.filter(({ end }) => right - end < width * EDGE)
  const aligned = lines.filter(({ x }) => x - left < width * EDGE)
  const long = lines.filter(({ characters }) => characters >= MIN_CHARACTERS)
  return (
    full.length >= lines.length * FULL_SHARE &&
    aligned.length >= lines.length * FULL_SHARE &&
    long.length * 2 >= lines.length
  )
}

/** The items of a segment as a separate line. */
function lineOf(segment: Segment | undefined): TextItem[] {
  const items = segment?.items ?? []
  return items.map((item, index) => ({ ...item, hasEOL: index === items.length - 1 }))
}
