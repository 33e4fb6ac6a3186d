/** A run of text on a page, as PDF.js gives it. */
export interface TextItem {
  readonly str: string
  /** Scale and rotation, then position: a, b, c, d, x, y. */
  readonly transform: readonly number[]
  readonly width: number
  readonly hasEOL: boolean
}

/** A gap of this part of the font's size is a blank. */
const BLANK_WIDTH = 0.2
/** A step of this part of the font's size across the line is a new line. */
const LINE_STEP = 0.5
/** Arabic and Latin letters in the shapes that fonts give them. */
const PRESENTATION_FORMS = /[\uFB00-\uFB06\uFB13-\uFB17\uFB1D-\uFDFF\uFE70-\uFEFC]+/g

/**
 * The text of a page in the order in which it was written, which is the reading
 * order in nearly all files. Blanks and line ends are taken from the positions:
 * many files have neither.
 */
export function pageText(items: readonly TextItem[]): string {
  let text = ''
  let last: TextItem | undefined
  for (const item of items) {
    if (item.str !== '') {
      if (last !== undefined) text += separator(text, last, item)
      last = item
    }
    text += item.str
    if (item.hasEOL && !text.endsWith('\n')) text += '\n'
  }
  return text.replace(PRESENTATION_FORMS, (forms) => forms.normalize('NFKC')).normalize('NFC')
}

function separator(before: string, last: TextItem, item: TextItem): string {
  if (/\s$/.test(before) || /^\s/.test(item.str)) return ''
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = item.transform
  const [, , , , lastX = 0, lastY = 0] = last.transform
  const scale = Math.hypot(a, b)
  const fontSize = scale || Math.hypot(c, d) || 1
  const [alongX, alongY] = scale === 0 ? [1, 0] : [a / scale, b / scale]
  const along = (x - lastX) * alongX + (y - lastY) * alongY
  const across = (y - lastY) * alongX - (x - lastX) * alongY
  if (Math.abs(across) > fontSize * LINE_STEP) return '\n'
  return along - last.width > fontSize * BLANK_WIDTH || along < -fontSize ? ' ' : ''
}

/** The part of a text that no reader could make sense of, 0 to 1: fonts without a Unicode map give it. */
export function garbledShare(text: string): number {
  const garbled = text.match(/[\p{Co}\p{Cn}\uFFFD\u0001-\u0008\u000E-\u001F]/gu)?.length ?? 0
  return text.length === 0 ? 0 : garbled / text.length
}
