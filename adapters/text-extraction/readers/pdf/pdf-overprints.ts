import type { TextItem } from './pdf-text-item.js'

/** Runs that are closer than this, in parts of the font size, are printed over each other. */
const TOLERANCE = 0.1
/** Parts of runs are compared with this many earlier runs. Whole runs are compared with the whole page. */
const RECENT = 8

interface Printed {
  readonly str: string
  readonly x: number
  readonly y: number
  readonly end: number
}

/** Removes text that is repeated in the same place: some files make text bold, or give it a shadow, in this way. */
export function* withoutOverprints(items: readonly TextItem[]): Generator<TextItem> {
  const cells = new Set<string>()
  const recent: Printed[] = []
  for (const item of items) {
    const str = item.str.trim()
    if (str === '') {
      yield item
      continue
    }
    const [a = 1, b = 0, , , x = 0, y = 0] = item.transform
    const printed: Printed = { str, x, y, end: x + item.width }
    const near = Math.max(Math.hypot(a, b), item.height, 0.1) * TOLERANCE
    const last = recent.at(-1)
    const isRepeated =
      cellsNear(printed, near).some((cell) => cells.has(cell)) || recent.some((other) => isEnd(printed, other, near))
    cells.add(cellOf(printed, near))
    recent.push(printed)
    if (recent.length > RECENT) recent.shift()
    // An empty item keeps the end of its line.
    if (isRepeated) yield { ...item, str: '' }
    else if (last !== undefined && isBeginning(last, printed, near)) yield restOf(item, last)
    else yield item
  }
}

/** The key of a square of the page and the text that begins there. */
function cellOf({ str, x, y }: Printed, near: number, right = 0, up = 0): string {
  return `${Math.floor(x / near) + right} ${Math.floor(y / near) + up} ${str}`
}

function cellsNear(printed: Printed, near: number): string[] {
  const steps = [-1, 0, 1]
  return steps.flatMap((right) => steps.map((up) => cellOf(printed, near, right, up)))
}

function isEnd(part: Printed, whole: Printed, near: number): boolean {
  return isInLine(part, whole, near) && whole.str.endsWith(part.str) && Math.abs(whole.end - part.end) < near
}

function isBeginning(part: Printed, whole: Printed, near: number): boolean {
  return isInLine(part, whole, near) && whole.str.startsWith(part.str) && Math.abs(whole.x - part.x) < near
}

function isInLine(first: Printed, second: Printed, near: number): boolean {
  return Math.abs(first.y - second.y) < near
}

/** The rest of a run after the text that was already printed in the same place. */
function restOf(item: TextItem, printed: Printed): TextItem {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = item.transform
  const skipped = printed.end - printed.x
  const scale = Math.hypot(a, b) || 1
  return {
    ...item,
    str: item.str.trimStart().slice(printed.str.length),
    transform: [a, b, c, d, x + (skipped * a) / scale, y + (skipped * b) / scale],
    width: Math.max(0, item.width - skipped),
  }
}
