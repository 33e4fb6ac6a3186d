import type { TextItem } from './pdf-text-item.js'

/** Lines of columns stand further apart than this, in parts of the font's size. */
const GUTTER = 1
/** Fewer lines with text on both sides may be anything. */
const LEAST_LINES = 6
/** Lines of columns are text, not cells: of this length at least, half of them. */
const LEAST_CHARACTERS = 20
/** Lines of a column end near its edge, in parts of its width; this part of them at least. */
const EDGE = 0.2
const FULL_SHARE = 0.6

/** Text of one line without wide gaps, as the file has it. */
interface Segment {
  readonly items: TextItem[]
  readonly size: number
  readonly x: number
  readonly y: number
  end: number
  characters: number
}

/** Both sides of a gutter in one line, or one of them. */
type Row = readonly Segment[]

/**
 * Puts columns that a file has written across, line by line, in the order in which they are read.
 * Where positions do not tell clearly that they are columns, everything stays as it is.
 */
export function inColumns(items: readonly TextItem[]): readonly TextItem[] {
  const rows = rowsOf(items)
  const ordered: TextItem[][] = []
  let isChanged = false
  for (let at = 0; at < rows.length; ) {
    const block = blockAt(rows, at)
    if (isText(block)) {
      isChanged = true
      for (const side of [0, 1]) ordered.push(...block.map((row) => lineOf(row[side])))
    } else {
      for (const row of block) ordered.push(...row.map((segment) => segment.items))
    }
    at += block.length
  }
  return isChanged ? ordered.flat() : items
}

/** Segments that follow each other on one line, from left to right. */
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

/** The rows from one on that have two segments each, with one gutter through all of them; otherwise that row. */
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

/** Whether both sides of a block are running text. */
function isText(block: readonly Row[]): boolean {
  return block.length >= LEAST_LINES && [0, 1].every((side) => isColumn(block.flatMap((row) => row[side] ?? [])))
}

function isColumn(lines: readonly Segment[]): boolean {
  const left = lines.reduce((least, { x }) => Math.min(least, x), Infinity)
  const right = lines.reduce((most, { end }) => Math.max(most, end), -Infinity)
  const width = right - left
  const full = lines.filter(({ end }) => right - end < width * EDGE)
  const aligned = lines.filter(({ x }) => x - left < width * EDGE)
  const long = lines.filter(({ characters }) => characters >= LEAST_CHARACTERS)
  return (
    full.length >= lines.length * FULL_SHARE &&
    aligned.length >= lines.length * FULL_SHARE &&
    long.length * 2 >= lines.length
  )
}

/** A segment as a line of its own. */
function lineOf(segment: Segment | undefined): TextItem[] {
  const items = segment?.items ?? []
  return items.map((item, index) => ({ ...item, hasEOL: index === items.length - 1 }))
}
