import { requirePages } from './page-limit.js'

/** The first bytes of a TIFF: the order of its bytes, and the number 42. */
const [LITTLE_ENDIAN, BIG_ENDIAN] = ['II*\0', 'MM\0*']
/** The place in the header of the address of the first page. */
const FIRST_PAGE = 4
const HEADER_BYTES = 8
const ENTRY_BYTES = 12

/**
 * Yields a TIFF once for each of its pages, with that page as its first one: recognisers read the first page alone. Each
 * page has the address of the next one at its end.
 *
 * Any other picture is yielded once, unchanged.
 * @throws ExtractionError `ERR_EXTRACTION_LIMIT` if the file says that it has more pages than its bytes have room for
 */
export function* tiffPages(picture: Buffer): Generator<Uint8Array> {
  const pages = pageAddresses(picture)
  if (pages.length < 2) {
    yield picture
    return
  }
  const isLittle = picture.toString('latin1', 0, 4) === LITTLE_ENDIAN
  for (const address of pages) {
    const page = Buffer.from(picture)
    if (isLittle) page.writeUInt32LE(address, FIRST_PAGE)
    else page.writeUInt32BE(address, FIRST_PAGE)
    yield page
  }
}

function pageAddresses(picture: Buffer): readonly number[] {
  const order = picture.toString('latin1', 0, 4)
  if ((order !== LITTLE_ENDIAN && order !== BIG_ENDIAN) || picture.length < HEADER_BYTES) return []
  const isLittle = order === LITTLE_ENDIAN
  const readCount = (at: number): number => (isLittle ? picture.readUInt16LE(at) : picture.readUInt16BE(at))
  const readAddress = (at: number): number => (isLittle ? picture.readUInt32LE(at) : picture.readUInt32BE(at))
  const pages = new Set<number>()
  let address = readAddress(FIRST_PAGE)
  // A damaged file may lead out of itself, or in a circle.
  while (address !== 0 && address + 2 <= picture.length && !pages.has(address)) {
    pages.add(address)
    const end = address + 2 + readCount(address) * ENTRY_BYTES
    if (end + 4 > picture.length) break
    address = readAddress(end)
  }
  requirePages(pages.size, picture.length)
  return [...pages]
}
