/** A run of text on a page, from PDF.js. */
export interface TextItem {
  readonly str: string
  /** The scale and rotation, then the position: a, b, c, d, x, y. */
  readonly transform: readonly number[]
  /** The length along the line. For vertical text: the size of a character. */
  readonly width: number
  /** For vertical text: the length along the line. */
  readonly height: number
  /** `ttb` for vertical text. */
  readonly dir: string
  readonly hasEOL: boolean
  /** The name that PDF.js gives a font of the file. Default: unknown. */
  readonly fontName?: string
}

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
function* withoutOverprints(items: readonly TextItem[]): Generator<TextItem> {
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

/**
 * Characters for the shapes of glyphs: Latin and Hebrew ligatures, Arabic forms, vertical punctuation, and radicals
 * that stand for ideographs.
 */
const SHAPES =
  /[\uFB00-\uFB06\uFB13-\uFB17\uFB1D-\uFDCF\uFDF0-\uFDFF\uFE10-\uFE19\uFE30-\uFE4F\uFE70-\uFEFC\u2E80-\u2FDF]+/g
/** Small capitals and figures that Adobe encoded before Unicode had characters for them. */
const SMALL_SHAPES = /[\uF721-\uF7FE]/g
/** The characters for Adobe's codes from U+F8E8 on: marks, and pieces of large brackets. */
const PIECES = '®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⌠⎞⎟⎠⎤⎥⎦⎫⎬⎭'
/** Bullets, ticks and arrows of Symbol and Wingdings, as word processors write them. */
const SYMBOLS: Readonly<Record<string, string>> = {
  '\uF0B7': '•',
  '\uF06C': '●',
  '\uF06E': '■',
  '\uF06F': '☐',
  '\uF071': '❑',
  '\uF076': '❖',
  '\uF0A7': '▪',
  '\uF0A8': '◻',
  '\uF0D8': '➢',
  '\uF0E0': '→',
  '\uF0FC': '✓',
  '\uF0FE': '☑',
}
/** Accents that are drawn before their letter, as in old TeX fonts. */
const ACCENTS: Readonly<Record<string, string>> = {
  '¨': '\u0308',
  ˆ: '\u0302',
  '˜': '\u0303',
  '¯': '\u0304',
  '˘': '\u0306',
  '˙': '\u0307',
  '˚': '\u030A',
  '˝': '\u030B',
  ˇ: '\u030C',
  '¸': '\u0327',
}

/** Replaces the shapes of fonts in the text of a page by ordinary characters. */
function plainCharacters(text: string): string {
  return (
    text
      .replace(SHAPES, (shapes) => shapes.normalize('NFKC'))
      .replace(SMALL_SHAPES, (shape) => String.fromCharCode(shape.charCodeAt(0) - 0xf700))
      .replace(/[\uF8E8-\uF8FE]/g, (piece) => PIECES[piece.charCodeAt(0) - 0xf8e8] ?? piece)
      .replace(/[\uF06C-\uF0FE]/g, (symbol) => SYMBOLS[symbol] ?? symbol)
      // A tilde after a slash belongs to a URL.
      .replace(/(?<![/~])([¨ˆ˜¯˘˙˚˝ˇ¸])(\p{L})/gu, (_, accent: string, letter: string) => {
        return (letter === 'ı' ? 'i' : letter) + (ACCENTS[accent] ?? '')
      })
      // An acute after a single letter is an apostrophe.
      .replace(/(?<!(?<!\p{L})\p{L})´([aeiouyıAEIOUY])/gu, (_, letter: string) => {
        return `${letter === 'ı' ? 'i' : letter}\u0301`
      })
      .replace(/(?<=[\p{L}\p{M}]) (?=\p{Mn})/gu, '')
      // If characters share a glyph, the mark may come first.
      .replace(/(?<![\p{L}\p{M}])(\p{Mn}+)([\p{Script=Hebrew}\p{Script=Arabic}])/gu, '$2$1')
      // Fonts that number their characters from 1 write the last blank of a line in this way.
      .replace(/(?<![\u0001-\u0008\u000E-\u001F])[\u0001-\u0008\u000E-\u001F]+$/gm, '')
      .normalize('NFC')
  )
}

/**
 * The share of a text, 0 to 1, that has no meaning. Fonts without a Unicode map cause it. A private symbol that stands
 * alone is a picture and does not count.
 */
export function garbledShare(text: string): number {
  const pictures = text.match(/(?<!\S)\p{Co}(?!\S)/gu)?.length ?? 0
  const garbled = text.match(/[\p{Co}\p{Cn}\uFFFD\u0001-\u0008\u000E-\u001F\u007F-\u009F]/gu)?.length ?? 0
  return text.length === 0 ? 0 : (garbled - pictures) / text.length
}
