import { constants, crc32, deflateRawSync } from 'node:zlib'

/** An entry of a zip. Its headers may contradict its content. */
export interface ZipEntry {
  readonly name: string
  readonly data: Buffer
  /** True if `data` is already deflated, as in the file. */
  readonly isDeflated?: boolean
  /** The size that the headers state. Default: that of `data`. */
  readonly statedSize?: number
  readonly statedPackedSize?: number
  readonly isStored?: boolean
  readonly isEncrypted?: boolean
}

export interface ZipOptions {
  /** Number of directory entries that all refer to the bytes of the first entry. */
  readonly copiesOfFirst?: number
  /** Entries before the others. */
  readonly before?: readonly ZipEntry[]
}

/** Writes a zip by hand, because libraries do not write broken ones. */
export function zipOf(entries: readonly ZipEntry[], { copiesOfFirst = 0, before = [] }: ZipOptions = {}): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const entry of [...before, ...entries]) {
    const isStored = entry.isStored === true
    const packed = entry.isDeflated === true || isStored ? entry.data : deflateRawSync(entry.data)
    const name = Buffer.from(entry.name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(entry.isEncrypted === true ? 1 : 0, 2)
    common.writeUInt16LE(isStored ? 0 : 8, 4)
    common.writeUInt32LE(entry.isDeflated === true ? 0 : crc32(entry.data), 10)
    common.writeUInt32LE(entry.statedPackedSize ?? packed.length, 14)
    common.writeUInt32LE(entry.statedSize ?? entry.data.length, 18)
    common.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, name, packed])
    centrals.push(central(common, name, offset))
    if (offset === 0) {
      for (let copy = 1; copy <= copiesOfFirst; copy += 1) {
        const other = Buffer.from(entry.name.replace(/^./, String.fromCharCode(0x61 + (copy % 26))))
        centrals.push(central(common, other, offset))
      }
    }
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(centrals)
  return Buffer.concat([...locals, directory, ...endOf(centrals.length, directory.length, offset)])
}

function central(common: Buffer, name: Buffer, offset: number): Buffer {
  const tail = Buffer.alloc(14)
  tail.writeUInt32LE(offset, 10)
  return Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, tail, name])
}

function endOf(count: number, size: number, offset: number): Buffer[] {
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  const isBig = count >= 0xffff
  end.writeUInt16LE(isBig ? 0xffff : count, 8)
  end.writeUInt16LE(isBig ? 0xffff : count, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  if (!isBig) return [end]
  const end64 = Buffer.alloc(56)
  end64.write('PK\x06\x06', 'latin1')
  end64.writeBigUInt64LE(44n, 4)
  end64.writeBigUInt64LE(BigInt(count), 24)
  end64.writeBigUInt64LE(BigInt(count), 32)
  end64.writeBigUInt64LE(BigInt(size), 40)
  end64.writeBigUInt64LE(BigInt(offset), 48)
  const locator = Buffer.alloc(20)
  locator.write('PK\x06\x07', 'latin1')
  locator.writeBigUInt64LE(BigInt(offset + size), 8)
  locator.writeUInt32LE(1, 16)
  return [end64, locator, end]
}

const MB = 1_048_576

/** Raw deflate of `count` megabytes of one letter; each takes about a kilobyte. */
export function deflatedMegabytes(count: number, before = '', after = ''): Buffer {
  const flushed = (data: Buffer): Buffer => deflateRawSync(data, { finishFlush: constants.Z_SYNC_FLUSH })
  const megabyte = flushed(Buffer.alloc(MB, 'a'))
  const blocks = Array.from({ length: count }, () => megabyte)
  return Buffer.concat([flushed(Buffer.from(before)), ...blocks, deflateRawSync(Buffer.from(after))])
}

const WORDS = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
export const BEFORE_TEXT: string = `<?xml version="1.0"?><w:document xmlns:w="${WORDS}"><w:body><w:p><w:r><w:t>`
export const AFTER_TEXT = '</w:t></w:r></w:p></w:body></w:document>'

const CONTENT_TYPES = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`
const RELATIONSHIPS = `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`

/** A Word document with this body and other entries. */
export function docxOf(document: Omit<ZipEntry, 'name'>, more: readonly ZipEntry[] = [], options?: ZipOptions): Buffer {
  return zipOf(
    [
      { name: '[Content_Types].xml', data: Buffer.from(CONTENT_TYPES) },
      { name: '_rels/.rels', data: Buffer.from(RELATIONSHIPS) },
      { name: 'word/document.xml', ...document },
      ...more,
    ],
    options,
  )
}

/** The bytes of a body with this text. */
export function bodyOf(text: string): Buffer {
  return Buffer.from(`${BEFORE_TEXT}${text}${AFTER_TEXT}`)
}
