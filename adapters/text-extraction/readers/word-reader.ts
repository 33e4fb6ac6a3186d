import { type CFB$Container, find, read, utils, write } from 'cfb'
import WordExtractor from 'word-extractor'
import { type ExtractedPiece, ExtractionError } from '../../../src/ports/index.js'
import { type FileBytes, piecesOf, readAll, storable } from './reader.js'
import { readArchivesAsText } from './word-archive.js'

/** First two bytes of the stream WordDocument: Word 97 and later. */
const WORD_97 = 0xa5ec
const ENCRYPTED_FLAG = 0x0100
/** Stream names as the reader expects them; some writers spell them in another case. */
const STREAM_NAMES = ['WordDocument', '0Table', '1Table', 'Data']
const PIECE_CHARACTERS = 65_536

readArchivesAsText()

/**
 * Reads .docx and .doc with all their parts: body, headers, footers, notes,
 * comments, text boxes. word-extractor instead of mammoth: on the reference
 * documents it finds more of the text (0.98 against 0.97 of the words) in a
 * third of the memory, and it reads both formats.
 */
export async function* readWord(file: FileBytes): AsyncGenerator<ExtractedPiece> {
  const bytes = await readAll(file)
  const document = await new WordExtractor().extract(isOle(bytes) ? checkedOle(bytes) : bytes)
  const parts = [
    document.getBody(),
    document.getTextboxes({ includeHeadersAndFooters: false, includeBody: true }),
    document.getFootnotes(),
    document.getEndnotes(),
    document.getAnnotations(),
    document.getHeaders({ includeFooters: false }),
    document.getFooters(),
    document.getTextboxes({ includeHeadersAndFooters: true, includeBody: false }),
  ]
  const text = storable(
    parts
      .filter((part) => part.trim() !== '')
      .map((part) => part.trimEnd())
      .join('\n\n'),
  )
  for (const piece of piecesOf(text, PIECE_CHARACTERS)) yield { text: piece }
}

function isOle(bytes: Buffer): boolean {
  return bytes.subarray(0, 8).equals(Buffer.from('d0cf11e0a1b11ae1', 'hex'))
}

/**
 * Looks into an OLE container before the reader does.
 * @returns the bytes with stream names as the reader expects them
 */
function checkedOle(bytes: Buffer): Buffer {
  const container = read(bytes, { type: 'buffer' })
  if (find(container, 'EncryptedPackage')) throw encrypted()
  const entry = container.FileIndex.find(({ name }) => name.toLowerCase() === 'worddocument')
  if (entry === undefined)
    throw new ExtractionError('ERR_UNSUPPORTED_FORMAT', 'The file is an OLE container, but not of a Word document')
  const head = Buffer.from(entry.content as Uint8Array)
  const magic = head.length >= 12 ? head.readUInt16LE(0) : 0
  if (magic !== WORD_97)
    throw new ExtractionError('ERR_UNSUPPORTED_FORMAT', `The document is from ${versionOf(magic)}: save it as .docx`)
  if ((head.readUInt16LE(10) & ENCRYPTED_FLAG) !== 0) throw encrypted()
  return withExpectedNames(container) ?? bytes
}

function withExpectedNames(container: CFB$Container): Buffer | undefined {
  let isChanged = false
  for (const [index, { name }] of container.FileIndex.entries()) {
    const expected = STREAM_NAMES.find((one) => one.toLowerCase() === name.toLowerCase())
    if (expected === undefined || expected === name) continue
    const path = container.FullPaths[index] ?? ''
    container.FullPaths[index] = path.slice(0, path.length - name.length) + expected
    isChanged = true
  }
  if (!isChanged) return undefined
  const renamed = utils.cfb_new()
  for (const [index, entry] of container.FileIndex.entries()) {
    const path = container.FullPaths[index] ?? ''
    const isTopLevelStream = entry.type === 2 && path.split('/').length === 2
    if (isTopLevelStream) utils.cfb_add(renamed, `/${path.split('/')[1] ?? ''}`, entry.content)
  }
  return write(renamed, { type: 'buffer' }) as Buffer
}

function versionOf(magic: number): string {
  if (magic === 0xa5dc || magic === 0xa699 || magic === 0xa698) return 'Word 6 or 95'
  return magic === 0xa5db ? 'Word 2' : 'a version of Word that is not known'
}

function encrypted(): ExtractionError {
  return new ExtractionError('ERR_ENCRYPTED', 'The document is protected by a password: save it without one')
}
