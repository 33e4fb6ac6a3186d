import { plainCharacters } from './pdf-characters.js'
import { withoutOverprints } from './pdf-overprints.js'
import type { TextItem } from './pdf-text-item.js'

/** A gap of this share of the font size is a blank. */
const BLANK_WIDTH = 0.1
/** A step across the line of this share of the font size is a new line. */
const LINE_STEP = 0.4
/** Text of another size, such as an exponent, may be raised or lowered by this share. */
const SCRIPT_STEP = 0.55
/** The least ratio of two font sizes that count as the same. */
const SAME_SIZE = 0.9
/** The largest step between the characters of a vertical column, in parts of their size. */
const STACKED_STEP = 1.15
const IDEOGRAPHS = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303F\uFE10-\uFE4F\uFF00-\uFFEF]+$/u

/**
 * The text of a page in the order of the file, which is the reading order in nearly all files. Blanks and line ends are
 * found by the positions, because many files have neither.
 */
export function pageText(items: readonly TextItem[]): string {
  let text = ''
  let last: Placed | undefined
  let isLineOver = false
  let isBlank = false
  for (const item of withoutOverprints(items)) {
    const str = item.str.trim()
    if (str !== '') {
      const placed = locate(item)
      if (last !== undefined && !isStacked(last, placed)) {
        const gap = separator(last, placed)
        if (isLineOver || gap === '\n') text += '\n'
        else if (gap === ' ' || isBlank || /^\s/.test(item.str)) text += ' '
      }
      text += str
      last = placed
      isLineOver = false
      isBlank = false
    }
    isLineOver ||= item.hasEOL
    isBlank ||= /\s$/.test(item.str)
  }
  return plainCharacters(text)
}

/** The position, direction and length of a run. */
interface Placed {
  readonly item: TextItem
  readonly isRightToLeft: boolean
  readonly size: number
  readonly x: number
  readonly y: number
  /** The direction of the line, a vector of length 1. */
  readonly alongX: number
  readonly alongY: number
  readonly length: number
}

function locate(item: TextItem): Placed {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = item.transform
  const wide = Math.hypot(a, b)
  const high = Math.hypot(c, d)
  const isVertical = item.dir === 'ttb'
  // Some files scale a font of a thousand units to almost zero width. Then the height is the size.
  const size = (wide < high * 0.3 ? high : wide) || 1
  const common = { item, size, x, y, isRightToLeft: item.dir === 'rtl' }
  if (isVertical && high > 0) return { ...common, alongX: -c / high, alongY: -d / high, length: item.height }
  if (wide === 0) return { ...common, alongX: 1, alongY: 0, length: item.width }
  return { ...common, alongX: a / wide, alongY: b / wide, length: item.width }
}

function separator(last: Placed, next: Placed): '' | ' ' | '\n' {
  const { alongX, alongY, size } = next
  const stepX = next.x - last.x
  const stepY = next.y - last.y
  const across = Math.abs(stepY * alongX - stepX * alongY)
  const larger = Math.max(size, last.size)
  const isSameSize = Math.min(size, last.size) > larger * SAME_SIZE
  if (across > larger * (isSameSize ? LINE_STEP : SCRIPT_STEP)) return '\n'
  if (/^\p{Mn}/u.test(next.item.str)) return ''
  const along = stepX * alongX + stepY * alongY
  const gapAfter = along - last.length
  const gapBefore = -along - next.length
  if (Math.max(gapAfter, gapBefore) > size * BLANK_WIDTH) return ' '
  // Text that lies over other text is a separate text.
  const overlap = last.isRightToLeft && next.isRightToLeft ? -gapBefore : -gapAfter
  return overlap > size ? ' ' : ''
}

/** True for a character below another in a column of ideographs that the file does not declare as vertical. */
function isStacked(last: Placed, next: Placed): boolean {
  const isShort = last.item.str.length <= 2 && next.item.str.length <= 2
  if (!isShort || !IDEOGRAPHS.test(last.item.str) || !IDEOGRAPHS.test(next.item.str)) return false
  const size = Math.max(last.size, next.size)
  const [lastX, lastY] = middle(last)
  const [nextX, nextY] = middle(next)
  const down = lastY - nextY
  return Math.abs(nextX - lastX) < size * 0.5 && down > size * 0.3 && down < size * STACKED_STEP
}

/** The middle of the first character. The origin of a vertical line is above that character, in the middle. */
function middle({ item, x, y, size }: Placed): readonly [number, number] {
  return item.dir === 'ttb' ? [x, y - size / 2] : [x + item.width / 2, y + size * 0.4]
}
