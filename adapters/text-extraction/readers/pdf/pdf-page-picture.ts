import { type DecodedPicture, greyOf, mirrored, pngOf, shrunk, turned } from '../picture/grey-picture.js'

/** The picture of a scanned page covers this share of the page. */
const COVERED_SHARE = 0.6
/** Recognition gets no better with more pixels in an inch, and takes longer. */
const ENOUGH_DPI = 300
const POINTS_PER_INCH = 72
/** Numbers that PDF.js gives the operators. */
const [SAVE, RESTORE, TRANSFORM, FORM_BEGIN, FORM_END] = [10, 11, 12, 74, 75]
const [MASK, PICTURE, INLINE_PICTURE] = [83, 85, 86]
/** No honest page saves its state deeper. */
const MAX_DEPTH = 1_000

type Matrix = readonly [number, number, number, number]

/** A page of PDF.js, of a file that was opened with its pictures. */
export interface PicturedPage {
  /** The corners of the page: left, bottom, right, top. */
  readonly view: readonly number[]
  /** The degrees by which a viewer turns the page clockwise. */
  readonly rotate: number
  /** Objects of the page, and objects that pages share. Their names begin with `g_`. */
  readonly objs: PageObjects
  readonly commonObjs: PageObjects
  getOperatorList(): Promise<{ readonly fnArray: readonly number[]; readonly argsArray: readonly unknown[] }>
}

interface PageObjects {
  get(name: string, onReady: (object: unknown) => void): unknown
}

/** A picture on a page: its object, and the matrix that puts its square of one unit on the page. */
interface PlacedPicture {
  readonly object: unknown
  readonly matrix: Matrix
}

/**
 * The picture that covers a page, as a viewer shows it, as a .png in grey.
 * @returns undefined if no single picture covers the page, or if PDF.js cannot decode it
 */
export async function pictureOfPage(page: PicturedPage): Promise<Uint8Array | undefined> {
  const [left = 0, bottom = 0, right = 0, top = 0] = page.view
  const area = Math.abs((right - left) * (top - bottom))
  const { fnArray, argsArray } = await page.getOperatorList()
  const large = picturesOn(fnArray, argsArray).filter(({ matrix }) => areaOf(matrix) >= area * COVERED_SHARE)
  const [placed, ...others] = large
  // Pictures on each other are parts of a compressed page: none of them has all of its text.
  if (placed === undefined || others.length > 0) return undefined
  const decoded = await decodedOf(page, placed.object)
  const grey = decoded && greyOf(decoded)
  if (grey === undefined) return undefined
  const [a, b] = placed.matrix
  const inches = Math.hypot(a, b) / POINTS_PER_INCH
  const side = Math.max(1, Math.floor(grey.width / inches / ENOUGH_DPI))
  const seen = isMirrored(placed.matrix) ? mirrored(shrunk(grey, side)) : shrunk(grey, side)
  return pngOf(turned(seen, quartersOf(placed.matrix, page.rotate)), grey.width / side / inches)
}

function picturesOn(operators: readonly number[], values: readonly unknown[]): readonly PlacedPicture[] {
  const pictures: PlacedPicture[] = []
  const saved: Matrix[] = []
  let matrix: Matrix = [1, 0, 0, 1]
  operators.forEach((operator, index) => {
    const value = values[index]
    if ((operator === SAVE || operator === FORM_BEGIN) && saved.length < MAX_DEPTH) saved.push(matrix)
    if (operator === TRANSFORM) matrix = product(matrix, value)
    else if (operator === FORM_BEGIN && Array.isArray(value)) matrix = product(matrix, value[0])
    else if (operator === RESTORE || operator === FORM_END) matrix = saved.pop() ?? [1, 0, 0, 1]
    else if (operator === PICTURE || operator === INLINE_PICTURE || operator === MASK) {
      if (Array.isArray(value)) pictures.push({ object: value[0], matrix })
    }
  })
  return pictures
}

/** The matrix after another one, without its shift: only the size and the direction of a picture count. */
function product([a, b, c, d]: Matrix, next: unknown): Matrix {
  const [e = 1, f = 0, g = 0, h = 1] = Array.from((next ?? []) as ArrayLike<number>)
  return [a * e + c * f, b * e + d * f, a * g + c * h, b * g + d * h]
}

function areaOf([a, b, c, d]: Matrix): number {
  return Math.abs(a * d - b * c)
}

function isMirrored([a, b, c, d]: Matrix): boolean {
  return a * d - b * c < 0
}

/** The right angles by which a viewer turns a picture clockwise. */
function quartersOf([a, b]: Matrix, rotate: number): number {
  const degrees = rotate - (Math.atan2(b, a) * 180) / Math.PI
  return ((Math.round(degrees / 90) % 4) + 4) % 4
}

/** The object of a picture is the picture or its name. The object of a mask has its bits, or the name of their object. */
async function decodedOf(page: PicturedPage, object: unknown): Promise<DecodedPicture | undefined> {
  const found = typeof object === 'string' ? await objectOf(page, object) : object
  const picture = (found ?? {}) as Partial<DecodedPicture>
  const named: unknown = picture.data
  const { width, height, kind, data } =
    typeof named === 'string' ? { ...((await objectOf(page, named)) as Partial<DecodedPicture> | null) } : picture
  // A bitmap of a browser has no data.
  if (width === undefined || height === undefined || !ArrayBuffer.isView(data)) return undefined
  // A mask has no kind. It paints its zeros, as black on white.
  return { width, height, kind: kind ?? 1, data }
}

async function objectOf(page: PicturedPage, name: string): Promise<unknown> {
  return await new Promise((resolve) => {
    const objects = name.startsWith('g_') ? page.commonObjs : page.objs
    objects.get(name, resolve)
  })
}
