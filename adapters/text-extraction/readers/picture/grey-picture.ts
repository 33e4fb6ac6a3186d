import { crc32, deflateSync } from 'node:zlib'

/** A decoded picture of PDF.js. */
export interface DecodedPicture {
  readonly width: number
  readonly height: number
  /** 1: one bit for each pixel, with whole bytes for each row, 1 for white. 2: RGB. 3: RGB and opacity. */
  readonly kind: number
  readonly data: Uint8Array | Uint8ClampedArray
}

/** A picture in grey: one byte for each pixel, row by row, 255 for white. */
export interface GreyPicture {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

const [BITS, RGB, RGBA] = [1, 2, 3]
const WHITE = 255

/** @returns undefined for a kind that PDF.js does not name, and for data that is too short */
export function greyOf({ width, height, kind, data }: DecodedPicture): GreyPicture | undefined {
  const pixels = width * height
  if (kind === BITS) {
    const rowBytes = Math.ceil(width / 8)
    if (data.length < rowBytes * height) return undefined
    const grey = new Uint8Array(pixels)
    for (let y = 0, at = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1, at += 1) {
        if ((data[y * rowBytes + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) grey[at] = WHITE
      }
    }
    return { width, height, data: grey }
  }
  const step = kind === RGB ? 3 : 4
  if ((kind !== RGB && kind !== RGBA) || data.length < pixels * step) return undefined
  const grey = new Uint8Array(pixels)
  for (let pixel = 0, at = 0; pixel < pixels; pixel += 1, at += step) {
    // The shares of the colours in the brightness that people see, in parts of 256.
    grey[pixel] = ((data[at] ?? 0) * 77 + (data[at + 1] ?? 0) * 151 + (data[at + 2] ?? 0) * 28) >> 8
  }
  return { width, height, data: grey }
}

/** The picture with one pixel, the mean, for each square of so many pixels. */
export function shrunk(picture: GreyPicture, side: number): GreyPicture {
  if (side < 2) return picture
  const width = Math.floor(picture.width / side)
  const height = Math.floor(picture.height / side)
  const data = new Uint8Array(width * height)
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      let sum = 0
      for (let row = 0; row < side; row += 1) {
        const from = (y * side + row) * picture.width + x * side
        for (let column = 0; column < side; column += 1) sum += picture.data[from + column] ?? 0
      }
      data[at] = sum / (side * side)
    }
  }
  return { width, height, data }
}

/** The picture upside down in a mirror: its rows from the last to the first. */
export function mirrored({ width, height, data }: GreyPicture): GreyPicture {
  const rows = new Uint8Array(data.length)
  for (let y = 0; y < height; y += 1) rows.set(data.subarray(y * width, (y + 1) * width), (height - 1 - y) * width)
  return { width, height, data: rows }
}

/** The picture turned clockwise. @param quarters the number of right angles, 0 to 3 */
export function turned(picture: GreyPicture, quarters: number): GreyPicture {
  let { width, height, data } = picture
  for (let quarter = 0; quarter < quarters; quarter += 1) {
    const next = new Uint8Array(data.length)
    for (let y = 0, at = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1, at += 1) next[x * height + (height - 1 - y)] = data[at] ?? 0
    }
    ;[width, height, data] = [height, width, next]
  }
  return { width, height, data }
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const INCHES_PER_METRE = 39.3701

/** The picture as a .png. @param dpi its pixels in an inch of the page */
export function pngOf({ width, height, data }: GreyPicture, dpi: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits of grey for each pixel.
  header[8] = 8
  const density = Buffer.alloc(9)
  for (const at of [0, 4]) density.writeUInt32BE(Math.round(dpi * INCHES_PER_METRE), at)
  // The unit is the metre.
  density[8] = 1
  // A byte in front of each row says how it is coded: 0, as it stands.
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y += 1) rows.set(data.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  const chunks = [chunkOf('IHDR', header), chunkOf('pHYs', density), chunkOf('IDAT', deflateSync(rows, { level: 1 }))]
  return Buffer.concat([SIGNATURE, ...chunks, chunkOf('IEND', Buffer.alloc(0))])
}

function chunkOf(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), content])
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(content.length)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return chunk
}
