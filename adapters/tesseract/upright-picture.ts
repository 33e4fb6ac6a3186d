import { crc32 } from 'node:zlib'

/** The orientations of Exif, by the degrees by which a viewer turns the picture clockwise. */
const ORIENTATIONS: Readonly<Record<number, number>> = { 90: 6, 180: 3, 270: 8 }
/** The end of the first chunk of a PNG, which has its size. */
const AFTER_HEADER = 33
/** An Exif block with one entry, the orientation, in the order of bytes that the recogniser looks for. */
const EXIF = [0x4d, 0x4d, 0, 0x2a, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
const ORIENTATION_AT = 19

/**
 * A PNG that says by how much it is to be turned. Tesseract turns such a picture whole. The angle that it takes as an
 * option would cut off its corners.
 *
 * @param degrees 90, 180 or 270, clockwise
 */
export function turnedPicture(png: Buffer, degrees: number): Buffer {
  const content = Buffer.from([...Buffer.from('eXIf'), ...EXIF])
  content[4 + ORIENTATION_AT] = ORIENTATIONS[degrees] ?? 1
  const chunk = Buffer.alloc(content.length + 8)
  chunk.writeUInt32BE(EXIF.length)
  content.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(content), content.length + 4)
  return Buffer.concat([png.subarray(0, AFTER_HEADER), chunk, png.subarray(AFTER_HEADER)])
}
