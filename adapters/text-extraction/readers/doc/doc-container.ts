import { read } from 'cfb'
import { ExtractionError } from '../../../../src/ports/index.js'

/** The streams of a .doc with its text. */
export interface DocStreams {
  /** `WordDocument`: the file information block, the text, and pages of properties. */
  readonly main: Buffer
  /** `0Table` or `1Table`: the positions of everything. */
  readonly table: Buffer
  /** `Data`: properties that are too long for a page. */
  readonly data: Buffer
}

/** The first two bytes of the main stream for Word 97 and later. */
const WORD_97 = 0xa5ec
const OLDER: Readonly<Record<number, string>> = {
  0xa5dc: 'Word 6 or 95',
  0xa697: 'Word 6 or 95',
  0xa698: 'Word 6 or 95',
  0xa699: 'Word 6 or 95',
  0xa5db: 'Word 2',
}
const ENCRYPTED_FLAG = 0x0100
const TABLE_FLAG = 0x0200
/** The length of the block up to the position of the piece table. */
const MIN_BYTES = 0x1aa

/**
 * Opens the OLE container of a .doc.
 *
 * @throws ExtractionError `ERR_ENCRYPTED`; `ERR_UNSUPPORTED_FORMAT` for a file that is not from Word 97 or later;
 *   `ERR_CORRUPT_FILE`
 */
export function openDoc(bytes: Buffer): DocStreams {
  const streams = topLevelStreams(bytes)
  if (streams.has('encryptedpackage')) throw encrypted()
  const main = streams.get('worddocument')
  if (main === undefined)
    throw new ExtractionError(
      'ERR_UNSUPPORTED_FORMAT',
      'The file is an OLE container, but not a Word document: save its text as .docx or .pdf',
    )
  const magic = main.length >= 2 ? main.readUInt16LE(0) : 0
  if (magic !== WORD_97) {
    const version = OLDER[magic] ?? 'an unknown version of Word'
    throw new ExtractionError('ERR_UNSUPPORTED_FORMAT', `The document is from ${version}: save it as .docx`)
  }
  if (main.length < MIN_BYTES)
    throw new ExtractionError('ERR_CORRUPT_FILE', 'The document is incomplete: its end is missing')
  const flags = main.readUInt16LE(0x0a)
  if ((flags & ENCRYPTED_FLAG) !== 0) throw encrypted()
  const isFirst = (flags & TABLE_FLAG) === 0
  const table = streams.get(isFirst ? '0table' : '1table') ?? streams.get(isFirst ? '1table' : '0table')
  if (table === undefined)
    throw new ExtractionError('ERR_CORRUPT_FILE', 'The document is damaged: the table of its text is missing')
  return { main, table, data: streams.get('data') ?? Buffer.alloc(0) }
}

/** The streams by name in lower case: some programs use another case. Embedded documents have deeper streams. */
function topLevelStreams(bytes: Buffer): Map<string, Buffer> {
  const container = read(bytes, { type: 'buffer' })
  const streams = new Map<string, Buffer>()
  for (const [index, { name, type, content }] of container.FileIndex.entries()) {
    const isTopLevel = container.FullPaths[index]?.split('/').length === 2
    const key = name.toLowerCase()
    if (type === 2 && isTopLevel && !streams.has(key)) streams.set(key, bufferOf(content))
  }
  return streams
}

/** The content without a copy. An empty stream has no content. */
function bufferOf(content: unknown): Buffer {
  if (!(content instanceof Uint8Array)) return Buffer.alloc(0)
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength)
}

function encrypted(): ExtractionError {
  return new ExtractionError('ERR_ENCRYPTED', 'The document is protected by a password: save it without password')
}
