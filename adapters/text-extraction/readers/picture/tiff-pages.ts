import { requirePages } from './page-limit.js'

/** The pages of a picture. */
export interface TiffPages {
  /** Yields the picture once for each page, with that page as its first one: recognisers read the first page alone. */
  readonly pages: Iterable<Uint8Array>
  readonly count: number
  /** True if the way from page to page leads nowhere: pages may be lost. */
  readonly isBroken: boolean
}

/** The numbers of a TIFF, by its first bytes: the order of bytes, and 42 or, for one with long addresses, 43. */
interface Layout {
  readonly isLittle: boolean
  /** The place in the header of the address of the first page. */
  readonly firstAt: number
  readonly addressBytes: 4 | 8
  /** The bytes of the number of entries of a page, and of an entry. */
  readonly countBytes: 2 | 8
  readonly entryBytes: number
}

const CLASSIC = { firstAt: 4, addressBytes: 4, countBytes: 2, entryBytes: 12 } as const
const BIG = { firstAt: 8, addressBytes: 8, countBytes: 8, entryBytes: 20 } as const
const LAYOUTS: Readonly<Record<string, Layout>> = {
  'II*\0': { isLittle: true, ...CLASSIC },
  'MM\0*': { isLittle: false, ...CLASSIC },
  'II+\0': { isLittle: true, ...BIG },
  'MM\0+': { isLittle: false, ...BIG },
}

/**
 * Finds the pages of a TIFF: each has the address of the next one at its end. Any other picture is one page.
 * @throws ExtractionError `ERR_EXTRACTION_LIMIT` if the file says that it has more pages than its bytes have room for
 */
export function tiffPages(picture: Buffer): TiffPages {
  const layout = LAYOUTS[picture.toString('latin1', 0, 4)]
  if (layout === undefined) return { pages: [picture], count: 1, isBroken: false }
  const { addresses, isBroken } = pageAddresses(picture, layout)
  if (addresses.length < 2) return { pages: [picture], count: 1, isBroken }
  return { pages: withFirstPages(picture, layout, addresses), count: addresses.length, isBroken }
}

function* withFirstPages(picture: Buffer, layout: Layout, addresses: readonly number[]): Generator<Uint8Array> {
  for (const address of addresses) {
    const page = Buffer.from(picture)
    writeNumber(page, layout, address)
    yield page
  }
}

interface Addresses {
  readonly addresses: readonly number[]
  readonly isBroken: boolean
}

function pageAddresses(picture: Buffer, layout: Layout): Addresses {
  const { isLittle, firstAt, addressBytes, countBytes, entryBytes } = layout
  const pages = new Set<number>()
  let address = readNumber(picture, firstAt, addressBytes, isLittle)
  // A damaged file leads out of itself, or in a circle.
  while (address !== undefined && address !== 0 && !pages.has(address)) {
    const count = readNumber(picture, address, countBytes, isLittle)
    if (count === undefined) break
    pages.add(address)
    address = readNumber(picture, address + countBytes + count * entryBytes, addressBytes, isLittle)
  }
  requirePages(pages.size, picture.length)
  return { addresses: [...pages], isBroken: address !== 0 && pages.size > 0 }
}

/** @returns undefined outside of the picture */
function readNumber(picture: Buffer, at: number, bytes: 2 | 4 | 8, isLittle: boolean): number | undefined {
  if (at + bytes > picture.length) return undefined
  if (bytes === 8) return Number(isLittle ? picture.readBigUInt64LE(at) : picture.readBigUInt64BE(at))
  return isLittle ? picture.readUIntLE(at, bytes) : picture.readUIntBE(at, bytes)
}

function writeNumber(page: Buffer, { isLittle, firstAt, addressBytes }: Layout, address: number): void {
  if (addressBytes === 8) {
    if (isLittle) page.writeBigUInt64LE(BigInt(address), firstAt)
    else page.writeBigUInt64BE(BigInt(address), firstAt)
  } else if (isLittle) page.writeUInt32LE(address, firstAt)
  else page.writeUInt32BE(address, firstAt)
}
