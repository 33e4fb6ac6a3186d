import { utils, write } from 'cfb'

/** Properties of a stretch of text, as [MS-DOC] 2.6 has them. */
export interface DocRun {
  /** Position in the text, in UTF-16 units. */
  readonly from: number
  readonly to: number
  readonly properties: Buffer
  /** Number of the paragraph's style. */
  readonly style?: number
}

export interface DocContent {
  /** With Word's marks: `\r` ends a paragraph, `\x07` a cell. */
  readonly body: string
  readonly footnotes?: string
  /** Six stories above notes, then six for each section; each ends in `\r`, or is empty. */
  readonly headers?: readonly string[]
  readonly comments?: string
  readonly endnotes?: string
  readonly boxes?: string
  readonly characters?: readonly DocRun[]
  readonly paragraphs?: readonly DocRun[]
  /** The text in 8 bits, windows-1252, as given. */
  readonly bytes?: Buffer
  /** Lengths of the pieces; they are stored from the last to the first, as after hasty saves. */
  readonly pieces?: readonly number[]
  /** Names of the streams. Default: the usual names. */
  readonly streams?: { readonly main: string; readonly table: string }
}

const PAGE = 512
const TEXT_START = 2 * PAGE

/** A property with a value of one byte, or of more. */
export function property(code: number, ...value: readonly number[]): Buffer {
  return Buffer.from([code & 0xff, code >>> 8, ...value])
}

/** A .doc of Word 97, built after [MS-DOC]. */
export function doc(content: DocContent): Buffer {
  const { body, footnotes = '', headers = [], comments = '', endnotes = '', boxes = '' } = content
  const parts = [body, footnotes, headers.join(''), '', comments, endnotes, boxes, '']
  const text = parts.join('')
  const unit = content.bytes === undefined ? 2 : 1
  const bytes = content.bytes ?? Buffer.from(text, 'utf16le')
  const lengths = content.pieces ?? [bytes.length / unit]
  const offsets = offsetsOf(lengths, unit)
  const pages = [content.characters ?? [], content.paragraphs ?? []].map((runs) =>
    runs.map((run) => moved(run, lengths, offsets, unit)),
  )
  const pageNumber = Math.ceil((TEXT_START + bytes.length) / PAGE)
  const main = Buffer.alloc((pageNumber + 2) * PAGE)
  main.writeUInt16LE(0xa5ec, 0)
  main.writeUInt16LE(0x0200, 0x0a)
  for (const [index, part] of parts.entries()) main.writeUInt32LE(part.length, 0x4c + index * 4)
  let from = 0
  for (const [index, length] of lengths.entries()) {
    bytes.copy(main, offsets[index], from * unit, (from + length) * unit)
    from += length
  }
  const table: Buffer[] = []
  const add = (offset: number, bin: Buffer): void => {
    main.writeUInt32LE(Buffer.concat(table).length, offset)
    main.writeUInt32LE(bin.length, offset + 4)
    table.push(bin)
  }
  add(0x1a2, pieceTable(lengths, offsets, unit))
  for (const [index, runs] of pages.entries()) {
    page(runs, index === 1).copy(main, (pageNumber + index) * PAGE)
    add(index === 1 ? 0x102 : 0xfa, numbers([0, main.length, pageNumber + index]))
  }
  const ends = headers.map((_, index) => headers.slice(0, index + 1).join('').length)
  if (headers.length > 0) add(0xf2, numbers([0, ...ends]))
  const { main: mainName, table: tableName } = content.streams ?? { main: 'WordDocument', table: '1Table' }
  return ole({ [mainName]: main, [tableName]: Buffer.concat(table) })
}

/** An OLE container. */
export function ole(streams: Readonly<Record<string, Buffer>>): Buffer {
  const container = utils.cfb_new()
  for (const [name, content] of Object.entries(streams)) utils.cfb_add(container, `/${name}`, content)
  return write(container, { type: 'buffer' }) as Buffer
}

/** Offsets at which the pieces start; the last piece is stored first. */
function offsetsOf(lengths: readonly number[], unit: number): number[] {
  const offsets: number[] = []
  let at = TEXT_START
  for (let index = lengths.length - 1; index >= 0; index -= 1) {
    offsets[index] = at
    at += (lengths[index] ?? 0) * unit
  }
  return offsets
}

/** A run with the bytes that it covers, in the piece where it starts. */
function moved(run: DocRun, lengths: readonly number[], offsets: readonly number[], unit: number): DocRun {
  let start = 0
  let index = 0
  while (run.from >= start + (lengths[index] ?? 0)) {
    start += lengths[index] ?? 0
    index += 1
  }
  const offset = (offsets[index] ?? 0) - start * unit
  return { ...run, from: offset + run.from * unit, to: offset + run.to * unit }
}

function pieceTable(lengths: readonly number[], offsets: readonly number[], unit: number): Buffer {
  const positions = [0, ...lengths.map((_, index) => lengths.slice(0, index + 1).reduce((sum, one) => sum + one, 0))]
  const descriptors = offsets.map((offset) => {
    const descriptor = Buffer.alloc(8)
    descriptor.writeUInt32LE(unit === 2 ? offset : offset * 2 + 0x4000_0000, 2)
    return descriptor
  })
  const head = Buffer.alloc(5)
  head[0] = 2
  head.writeUInt32LE(positions.length * 4 + descriptors.length * 8, 1)
  return Buffer.concat([head, numbers(positions), ...descriptors])
}

/** A page of runs ([MS-DOC] 2.9.33, 2.9.175). Gaps between runs become runs without properties. */
function page(runs: readonly DocRun[], isParagraphs: boolean): Buffer {
  const all: DocRun[] = []
  for (const run of [...runs].sort((one, other) => one.from - other.from)) {
    const end = all.at(-1)?.to ?? run.from
    if (end < run.from) all.push({ from: end, to: run.from, properties: Buffer.alloc(0) })
    all.push(run)
  }
  const bytes = Buffer.alloc(PAGE)
  const entry = isParagraphs ? 13 : 1
  let at = PAGE - 2
  for (const [index, { from, to, properties, style = 0 }] of all.entries()) {
    bytes.writeUInt32LE(from, index * 4)
    bytes.writeUInt32LE(to, index * 4 + 4)
    const list = isParagraphs ? Buffer.concat([Buffer.from([style, 0]), properties]) : properties
    const size = isParagraphs ? [0, Math.ceil(list.length / 2)] : [list.length]
    at = (at - list.length - size.length) & ~1
    Buffer.concat([Buffer.from(size), list]).copy(bytes, at)
    bytes[(all.length + 1) * 4 + index * entry] = at / 2
  }
  bytes[PAGE - 1] = all.length
  return bytes
}

function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}
