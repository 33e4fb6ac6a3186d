import { createInflateRaw } from 'node:zlib'
import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { ExtractionError } from '../../../../src/ports/index.js'
import { checkZipKind, type ReadableZip } from '../../zip-kinds.js'
import { withoutTail } from './zip-end.js'

const MB = 1_048_576
const MAX_ENTRIES = 10_000

/** The most unpacked bytes of a zip, by its kind. */
interface ZipLimits {
  readonly unpackedBytes: number
  readonly xmlBytes: number
  readonly xmlPartBytes: number
}
const LIMITS: ZipLimits = { unpackedBytes: 512 * MB, xmlBytes: 200 * MB, xmlPartBytes: 100 * MB }
/** A sheet is read row by row, and a million rows are some hundred megabytes of XML. */
const SHEET_LIMITS: ZipLimits = { unpackedBytes: 2_048 * MB, xmlBytes: 2_048 * MB, xmlPartBytes: 1_024 * MB }
/** The most unpacked bytes for each packed byte, above {@link FREE_UNPACKED_BYTES}. XML has some tens. */
const MAX_RATIO = 200
const FREE_UNPACKED_BYTES = 16 * MB
/** The bytes that are read from the parts with the type of the container. */
const MAX_LABEL_BYTES = MB
const STORED = 0
const DEFLATED = 8
const LOCAL_HEADER_BYTES = 30

/** Bytes that are still free. */
export interface SharedBytes {
  left: number
}

export function isZip(bytes: Buffer): boolean {
  return bytes.length > 4 && bytes.readUInt32LE(0) === 0x04034b50
}

/**
 * Unpacks every entry of a zip and discards the bytes, before a parser sees the file. It counts sizes itself and does
 * not trust the directory. It treats zips inside like any other bytes.
 *
 * @throws ExtractionError `ERR_EXTRACTION_LIMIT` for content that is too large; `ERR_CORRUPT_FILE` for parts that
 *   overlap, have another size than the directory says, or declare a document type; `ERR_ENCRYPTED`;
 *   `ERR_WRONG_TYPE` or `ERR_UNSUPPORTED_FORMAT` for a zip of another kind than the extension says
 * @param shared the unpacked bytes that several zips may have together. Default: each has its own limits only
 */
export async function checkZip(bytes: Buffer, extension: string, shared?: SharedBytes): Promise<void> {
  const kind = KINDS[extension] ?? 'word'
  const entries = await entriesOf(bytes)
  const parts = entries.map((entry) => ({ entry, name: nameOf(entry), ...placeOf(entry, bytes) }))
  checkOverlaps(parts)
  const hasSheets = kind === 'excel' || kind === 'odf-spreadsheet'
  const budget = new Budget(hasSheets ? SHEET_LIMITS : LIMITS, !WITH_DOCUMENT_TYPES.has(kind), shared)
  const labels = new Map<string, string>()
  for (const { entry, name, begin, end } of parts) {
    const label = await checkEntry(entry, name, bytes.subarray(begin, end), budget)
    if (label !== undefined) labels.set(name, label)
  }
  const names = parts.map(({ name }) => name)
  checkZipKind(extension, kind, names, [...labels.values()])
}

const KINDS: Readonly<Record<string, ReadableZip>> = {
  '.xlsx': 'excel',
  '.pptx': 'powerpoint',
  '.epub': 'epub',
  '.odt': 'odf-text',
  '.ods': 'odf-spreadsheet',
  '.odp': 'odf-presentation',
}
/** Kinds whose parts may have document types, which no reader expands: older programs write them. */
const WITH_DOCUMENT_TYPES: ReadonlySet<ReadableZip> = new Set([
  'epub',
  'odf-text',
  'odf-spreadsheet',
  'odf-presentation',
])

async function entriesOf(bytes: Buffer): Promise<Entry[]> {
  // `checkEntry` checks the real sizes of all entries instead.
  const options = { lazyEntries: true, validateEntrySizes: false, decodeStrings: false }
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    fromBuffer(withoutTail(bytes), options, (error, opened) => {
      if (error === null) resolve(opened)
      else reject(damaged(error))
    })
  })
  const entries: Entry[] = []
  return await new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      entries.push(entry)
      if (entries.length > MAX_ENTRIES) reject(tooLarge(`more than ${MAX_ENTRIES} parts`))
      else if (entry.isEncrypted()) {
        reject(
          new ExtractionError('ERR_ENCRYPTED', 'The document is protected by a password: save it without password'),
        )
      } else zip.readEntry()
    })
    zip.on('end', () => resolve(entries))
    zip.on('error', (error: Error) => reject(damaged(error)))
    zip.readEntry()
  })
}

/** Decodes a name, because yauzl refuses a whole archive with a backslash in a name. Some programs write those. */
function nameOf(entry: Entry): string {
  return (entry.fileName as unknown as Buffer).toString('utf8').replaceAll('\\', '/')
}

/** The position of the packed bytes of an entry. The length of its header is in the header itself. */
function placeOf(
  entry: Entry,
  bytes: Buffer,
): { readonly header: number; readonly begin: number; readonly end: number } {
  const header = entry.relativeOffsetOfLocalHeader
  const hasHeader = header + LOCAL_HEADER_BYTES <= bytes.length && bytes.readUInt32LE(header) === 0x04034b50
  if (!hasHeader) throw damaged()
  const begin = header + LOCAL_HEADER_BYTES + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28)
  const end = begin + entry.compressedSize
  if (end > bytes.length) throw damaged()
  return { header, begin, end }
}

/** Refuses entries that share their bytes: in that way a small file can unpack to any size. */
function checkOverlaps(parts: readonly { readonly header: number; readonly end: number }[]): void {
  let lastEnd = 0
  for (const { header, end } of [...parts].sort((first, second) => first.header - second.header)) {
    if (header < lastEnd) throw new ExtractionError('ERR_CORRUPT_FILE', 'The file is damaged: its parts overlap')
    lastEnd = end
  }
}

/** @returns the text of the part, if it has the type of the container */
async function checkEntry(entry: Entry, name: string, packed: Buffer, budget: Budget): Promise<string | undefined> {
  const isLabel = name === '[Content_Types].xml' || name === 'mimetype'
  const label: Buffer[] = []
  let prolog: XmlProlog | undefined
  let unpacked = 0
  const state = { isDamaged: false }
  for await (const chunk of unpack(entry, packed, state)) {
    if (unpacked === 0 && budget.hasXml && isXmlPart(name, chunk)) prolog = new XmlProlog(name)
    if (isLabel && unpacked < MAX_LABEL_BYTES) label.push(Buffer.from(chunk))
    unpacked += chunk.length
    prolog?.check(chunk)
    budget.spend(chunk.length, { unpacked, packed: packed.length, isXml: prolog !== undefined })
  }
  budget.packed += packed.length
  if (!state.isDamaged && unpacked !== entry.uncompressedSize) {
    throw new ExtractionError(
      'ERR_CORRUPT_FILE',
      'The file is damaged: its parts have another size than its directory says',
    )
  }
  return isLabel ? Buffer.concat(label).toString('latin1').replaceAll('\0', '') : undefined
}

/** @param state gets `isDamaged` for bytes that cannot be unpacked. The reader of the part reports that later */
async function* unpack(entry: Entry, packed: Buffer, state: { isDamaged: boolean }): AsyncGenerator<Buffer> {
  if (entry.compressionMethod === STORED) {
    yield packed
  } else if (entry.compressionMethod === DEFLATED) {
    const inflate = createInflateRaw({ chunkSize: 65_536 })
    inflate.end(packed)
    try {
      for await (const chunk of inflate) yield chunk as Buffer
    } catch {
      state.isDamaged = true
    }
  } else {
    throw new ExtractionError(
      'ERR_CORRUPT_FILE',
      'The file uses a compression that no program for it uses: open and save it with such a program',
    )
  }
}

/** The limits for all entries together. */
class Budget {
  /** The packed bytes of the checked entries. */
  packed = 0
  #unpacked = 0
  #xml = 0

  /** @param hasXml false for kinds whose parts may have document types: their XML has no limits of its own */
  constructor(
    private readonly limits: ZipLimits,
    readonly hasXml: boolean,
    private readonly shared: SharedBytes | undefined,
  ) {}

  spend(bytes: number, part: { readonly unpacked: number; readonly packed: number; readonly isXml: boolean }): void {
    this.#unpacked += bytes
    if (this.shared !== undefined) this.shared.left -= bytes
    if (part.isXml) this.#xml += bytes
    const { unpackedBytes, xmlBytes, xmlPartBytes } = this.limits
    if (this.shared !== undefined && this.shared.left < 0) throw tooLarge('too many bytes in embedded documents')
    if (this.#unpacked > unpackedBytes) throw tooLarge(sizeText(unpackedBytes))
    if (this.#xml > xmlBytes) throw tooLarge(`${sizeText(xmlBytes)} of XML`)
    if (part.isXml && part.unpacked > xmlPartBytes) throw tooLarge(`${sizeText(xmlPartBytes)} of XML in one part`)
    if (isBomb(part.unpacked, part.packed) || isBomb(this.#unpacked, this.packed + part.packed)) {
      throw tooLarge(`more than ${MAX_RATIO} times its packed size`)
    }
  }
}

function isBomb(unpacked: number, packed: number): boolean {
  return unpacked > FREE_UNPACKED_BYTES + packed * MAX_RATIO
}

function sizeText(bytes: number): string {
  return `more than ${bytes / MB} MB`
}

function tooLarge(size: string): ExtractionError {
  return new ExtractionError('ERR_EXTRACTION_LIMIT', `The unpacked file has ${size}: split it`)
}

function damaged(cause?: unknown): ExtractionError {
  return new ExtractionError('ERR_CORRUPT_FILE', 'The file is damaged and cannot be read', { cause })
}

/** The most characters that are checked before the first element. */
const MAX_PROLOG_CHARACTERS = 65_536
/** Parts that an Office file may contain and that no reader parses. */
const NEVER_PARSED = /\.(?:x?html?|mht|mhtml|svg|txt|rtf)$/i
const NAMED_XML = /\.(?:xml|rels)$/i

/** True if a part would be read as XML, by its name or its first bytes. */
function isXmlPart(name: string, head: Uint8Array): boolean {
  if (NAMED_XML.test(name)) return true
  return !NEVER_PARSED.test(name) && /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*</.test(asciiOf(head.subarray(0, 1_024)))
}

/** Refuses a document type before the root of an XML part: Office writes none, and it can declare entities. */
class XmlProlog {
  #text = ''
  #isOver = false

  constructor(private readonly name: string) {}

  /** @throws ExtractionError `ERR_CORRUPT_FILE` */
  check(chunk: Uint8Array): void {
    if (this.#isOver) return
    this.#text += asciiOf(chunk.subarray(0, MAX_PROLOG_CHARACTERS))
    const isTooLong = this.#text.length >= MAX_PROLOG_CHARACTERS
    const prolog = /^(?:[^<]|<\?[^]*?\?>|<!--[^]*?-->)*/.exec(this.#text)?.[0] ?? ''
    const rest = this.#text.slice(prolog.length)
    if (/^<!(?!$|-$|--)/.test(rest)) {
      throw this.#refusal('has a document type (DOCTYPE), which no Office file has')
    }
    this.#isOver = /^<[^!?]/.test(rest)
    if (this.#isOver) this.#text = ''
    else if (isTooLong) throw this.#refusal('has no content at its beginning')
  }

  #refusal(problem: string): ExtractionError {
    return new ExtractionError(
      'ERR_CORRUPT_FILE',
      `${this.name.slice(0, 100)} ${problem}: open and save the file with its program`,
    )
  }
}

/** The ASCII letters of a text in UTF-8 or UTF-16. */
function asciiOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1').replaceAll('\0', '')
}
