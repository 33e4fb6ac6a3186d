/** A page with more letters is a page of text, also if a picture lies behind them. */
const FEW_LETTERS = 100
/** The pictures of a scan cover this share of the page, together. */
const COVERED_SHARE = 0.6
/** A smaller share of the page is no part of a scan, which may come in strips. */
const LEAST_SHARE = 0.01
/** Numbers that PDF.js gives the operators. */
const [SAVE, RESTORE, TRANSFORM, FORM_BEGIN, FORM_END] = [10, 11, 12, 74, 75]
/** The operators that draw pictures. */
const [FIRST_PICTURE, LAST_PICTURE] = [83, 90]
/** The operators that only set a state or mark content. A picture may follow them under the same matrix. */
const STATES: ReadonlySet<number> = new Set([
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, SAVE, FORM_BEGIN, 76],
  ...[50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 67, 68, 69, 70, 71],
])
/** No honest page saves its state deeper. */
const MAX_DEPTH = 1_000

/** A page of PDF.js. */
interface Page {
  /** The corners of the page: left, bottom, right, top. */
  readonly view: readonly number[]
  getOperatorList(): Promise<{ readonly fnArray: readonly number[]; readonly argsArray: readonly unknown[] }>
}

/** True for a page that may be a picture of a text: it has so few letters. */
export function hasFewLetters(text: string): boolean {
  const letters = text.slice(0, FEW_LETTERS * 10).match(/[\p{L}\p{N}]/gu)?.length ?? 0
  return letters > 0 && letters < FEW_LETTERS
}

/**
 * True for a page that pictures cover. With a few letters on them it is a scan with a stamp or a page number.
 *
 * PDF.js is told to skip pictures, so none is decoded. But a picture fills a square of one unit, so a matrix that makes
 * this square as large as the page shows it. Paths and text under such a matrix are those of a drawing.
 */
export async function isPictured(page: Page): Promise<boolean> {
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view
  const area = Math.abs((right - left) * (top - bottom))
  if (area === 0) return false
  const { fnArray, argsArray } = await page.getOperatorList()
  let scale = 1
  let covered = 0
  /** The area under the last matrix, while nothing is drawn under it. */
  let undrawn = 0
  const saved: number[] = []
  fnArray.forEach((operator, index) => {
    if ((operator === SAVE || operator === FORM_BEGIN) && saved.length < MAX_DEPTH) saved.push(scale)
    const values = argsArray[index]
    if (isPictureOrNothing(operator)) covered += undrawn
    if (!STATES.has(operator)) undrawn = 0
    if (operator === TRANSFORM) scale *= areaOf(values)
    else if (operator === FORM_BEGIN && Array.isArray(values)) scale *= areaOf(values[0])
    else if (operator === RESTORE || operator === FORM_END) scale = saved.pop() ?? 1
    if (operator === TRANSFORM || undrawn > 0) undrawn = scale >= area * LEAST_SHARE ? scale : 0
  })
  return covered >= area * COVERED_SHARE
}

/** True for a picture, and for the end of a state in which one is skipped. */
function isPictureOrNothing(operator: number): boolean {
  return operator === RESTORE || operator === FORM_END || (operator >= FIRST_PICTURE && operator <= LAST_PICTURE)
}

/** The area of a square of one unit under a matrix. */
function areaOf(matrix: unknown): number {
  const [a = 1, b = 0, c = 0, d = 1] = Array.from((matrix ?? []) as ArrayLike<number>)
  return Math.abs(a * d - b * c)
}
