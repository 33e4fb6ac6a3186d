import type { TextItem } from './pdf-text-item.js'

/** Runs nearer to each other than this part of the font's size are printed over each other. */
const TOLERANCE = 0.1
/** Parts of runs are compared with so many runs before; whole runs with all of the page. */
const RECENT = 8

interface Printed {
  readonly str: string
  readonly x: number
  readonly y: number
  readonly end: number
}

/** Text without its repetitions in the same place, by which files make it bold or give it a shadow. */
export function* withoutOverprints(items: readonly TextItem[]): Generator<TextItem> {
  const places = new Set<string>()
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
      placesNear(printed, near).some((place) => places.has(place)) ||
      recent.some((other) => isEnd(printed, other, near))
    places.add(placeOf(printed, near))
    recent.push(printed)
    if (recent.length > RECENT) recent.shift()
    // The end of its line is still one.
    if (isRepeated) yield { ...item, str: '' }
    else if (last !== undefined && isBeginning(last, printed, near)) yield restOf(item, last)
    else yield item
  }
}

/** Squares of a page, with the text that begins there. */
function placeOf({ str, x, y }: Printed, near: number, right = 0, up = 0): string {
  return `${Math.floor(x / near) + right} ${Math.floor(y / near) + up} ${str}`
}

function placesNear(printed: Printed, near: number): string[] {
  const steps = [-1, 0, 1]
  return steps.flatMap((right) => steps.map((up) => placeOf(printed, near, right, up)))
}

function isEnd(part: Printed, whole: Printed, near: number): boolean {
  return isInLine(part, whole, near) && whole.str.endsWith(part.str) && Math.abs(whole.end - part.end) < near
}

function isBeginning(part: Printed, whole: Printed, near: number): boolean {
  return isInLine(part, whole, near) && whole.str.startsWith(part.str) && Math.abs(whole.x - part.x) < near
}

function isInLine(one: Printed, other: Printed, near: number): boolean {
  return Math.abs(one.y - other.y) < near
}

/** What a run has behind the text that was printed in its place before. */
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
