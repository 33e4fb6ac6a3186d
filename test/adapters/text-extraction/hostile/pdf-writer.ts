import { deflateSync } from 'node:zlib'
import { deflatedMegabytes } from './zip-writer.js'

/** Objects of a PDF by number, each with the bytes between `obj` and `endobj`. */
export type PdfObjects = Readonly<Record<number, string | Buffer>>

/** A PDF of the objects; the first is the catalog. */
export function pdfOf(objects: PdfObjects): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  const offsets: string[] = []
  let length = parts[0]?.length ?? 0
  for (const [number, body] of Object.entries(objects)) {
    const object = Buffer.concat([Buffer.from(`${number} 0 obj\n`), Buffer.from(body), Buffer.from('\nendobj\n')])
    offsets.push(`${number} 1\n${String(length).padStart(10, '0')} 00000 n \n`)
    parts.push(object)
    length += object.length
  }
  const size = Math.max(...Object.keys(objects).map(Number)) + 1
  const end = `xref\n0 1\n0000000000 65535 f \n${offsets.join('')}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF\n`
  return Buffer.concat([...parts, Buffer.from(end)])
}

/** A stream object. */
export function stream(data: Buffer | string, dictionary = ''): Buffer {
  const bytes = Buffer.from(data)
  return Buffer.concat([
    Buffer.from(`<<${dictionary}/Length ${bytes.length}>>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ])
}

/** A zlib stream of `count` megabytes without its checksum: readers of PDFs do not verify it. */
export function zlibMegabytes(count: number, before = '', after = ''): Buffer {
  return Buffer.concat([Buffer.from([0x78, 0x9c]), deflatedMegabytes(count, before, after)])
}

const FONT = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>'
export const CATALOG = '<</Type/Catalog/Pages 2 0 R>>'

/** One page with this content, and other objects from number 10 on. */
export function onePage(content: Buffer, more: PdfObjects = {}, resources = ''): Buffer {
  return pdfOf({
    1: CATALOG,
    2: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>${resources}>>>>`,
    4: content,
    5: FONT,
    ...more,
  })
}

/** A PDF whose catalog is in a compressed stream of objects, after this many megabytes. */
export function objectStreamBomb(megabytes: number): Buffer {
  const objects = `1 0 2 ${CATALOG.length + 1} `
  const pages = '<</Type/Pages/Kids[]/Count 0>>'
  const data = zlibMegabytes(megabytes, `${objects}${CATALOG} ${pages} `)
  const packed = stream(data, `/Type/ObjStm/N 2/First ${objects.length}/Filter/FlateDecode`)
  const head = Buffer.from('%PDF-1.7\n')
  const container = Buffer.concat([Buffer.from('3 0 obj\n'), packed, Buffer.from('\nendobj\n')])
  const row = (type: number, one: number, two: number): Buffer => {
    const bytes = Buffer.alloc(6)
    bytes.writeUInt8(type, 0)
    bytes.writeUInt32BE(one, 1)
    bytes.writeUInt8(two, 5)
    return bytes
  }
  const at = head.length + container.length
  const rows = [row(0, 0, 255), row(2, 3, 0), row(2, 3, 1), row(1, head.length, 0), row(1, at, 0)]
  const table = stream(deflateSync(Buffer.concat(rows)), '/Type/XRef/Size 5/Root 1 0 R/W[1 4 1]/Filter/FlateDecode')
  const xref = Buffer.concat([Buffer.from('4 0 obj\n'), table, Buffer.from(`\nendobj\nstartxref\n${at}\n%%EOF\n`)])
  return Buffer.concat([head, container, xref])
}
