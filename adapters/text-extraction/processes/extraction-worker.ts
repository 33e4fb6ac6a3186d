/** The thread that reads files. A hostile file can end its process, never the host. */
import { parentPort, workerData } from 'node:worker_threads'
import { AlcoveError, ExtractionError, type ExtractionErrorCode } from '../../../src/ports/index.js'
import type { ExtractionLimits } from '../extraction-limits.js'
import { formatOf } from '../formats.js'
import { TextSample } from '../language/text-sample.js'
import { PICTURE_FORMATS } from '../picture-formats.js'
import { boundedPieces, type FileBytes, inMemory, type Reader, readAll } from '../readers/reader.js'
import { extractedPiece } from '../readers/reader-piece.js'
import { type HostMessage, Mailbox, type WorkerMessage } from './extraction-protocol.js'
import { HostRecognition } from './host-recognition.js'

/** The libraries of a format are loaded for its first file. */
const READERS: Readonly<Record<string, () => Promise<Reader>>> = {
  '.pdf': async () => (await import('../readers/pdf/pdf-reader.js')).readPdf,
  '.docx': async () => (await import('../readers/word-reader.js')).readWord,
  '.doc': async () => (await import('../readers/word-reader.js')).readWord,
  '.csv': async () => (await import('../readers/csv-reader.js')).readCsv,
  '.md': async () => (await import('../readers/text-reader.js')).readMarkdown,
  '.html': async () => (await import('../readers/html/html-reader.js')).readHtml,
  '.htm': async () => (await import('../readers/html/html-reader.js')).readHtml,
  '.xlsx': async () => (await import('../readers/xlsx/xlsx-reader.js')).readXlsx,
  '.pptx': async () => (await import('../readers/pptx/pptx-reader.js')).readPptx,
  '.json': async () => (await import('../readers/json/json-reader.js')).readJson,
  '.jsonl': async () => (await import('../readers/json/json-reader.js')).readJsonLines,
  '.eml': async () => (await import('../readers/eml-reader.js')).readEml,
  '.epub': async () => (await import('../readers/epub/epub-reader.js')).readEpub,
  '.odt': async () => (await import('../readers/odf/odt-reader.js')).readOdt,
  '.ods': async () => (await import('../readers/odf/ods-reader.js')).readOds,
  '.odp': async () => (await import('../readers/odf/odp-reader.js')).readOdp,
  '.rtf': async () => (await import('../readers/rtf/rtf-reader.js')).readRtf,
  '.msg': async () => (await import('../readers/msg/msg-reader.js')).readMsg,
  '.xml': async () => (await import('../readers/text-reader.js')).readXml,
  ...Object.fromEntries(PICTURE_FORMATS.map(({ extension }) => [extension, pictureReader])),
}
const MAY_BE_ZIP: ReadonlySet<string> = new Set(['.docx', '.doc', '.xlsx', '.pptx', '.epub', '.odt', '.ods', '.odp'])
const READ_WHOLE: ReadonlySet<string> = new Set([
  ...[...MAY_BE_ZIP, '.pdf', '.eml', '.msg'],
  ...PICTURE_FORMATS.map(({ extension }) => extension),
])

const limits = workerData as ExtractionLimits
const receivedBytes = new Mailbox<Uint8Array | null>()
/** One item for each piece that the host is ready to receive. */
const turns = new Mailbox<true>()

parentPort?.on('message', (message: HostMessage) => {
  if (message.type === 'extract') void extract(message)
  else if (message.type === 'bytes') receivedBytes.put(message.bytes)
  else if (message.type === 'next') turns.put(true)
  else recognition?.receive(message)
})

/** The recognition of text for the current file, if the host does that. */
let recognition: HostRecognition | undefined

async function extract(message: HostMessage & { readonly type: 'extract' }): Promise<void> {
  const { fileName, sizeBytes, contentType, picturesAtOnce } = message
  recognition = picturesAtOnce === 0 ? undefined : new HostRecognition(picturesAtOnce, send)
  try {
    const { extension } = formatOf(fileName, { contentType, readsPictures: recognition !== undefined })
    if (READ_WHOLE.has(extension)) checkSize(extension, sizeBytes)
    let file: FileBytes = { sizeBytes, open: hostBytes }
    if (MAY_BE_ZIP.has(extension)) file = await checkedContainer(file, extension)
    const reader = await (READERS[extension] ?? textReader)()
    const sample = new TextSample()
    let hasText = false
    for await (const piece of boundedPieces(reader(file, recognition), sizeBytes, limits.maxTextCharacters)) {
      hasText ||= piece.text.trim() !== ''
      sample.add(piece.text)
      await turns.take()
      send({ type: 'piece', piece: extractedPiece(piece) })
    }
    await turns.take()
    if (!hasText) throw new ExtractionError('ERR_NO_TEXT', 'The file has no text')
    const language = await detectLanguage(sample)
    if (language !== undefined) {
      send({ type: 'piece', piece: { text: '', language } })
      await turns.take()
    }
    send({ type: 'end' })
  } catch (error) {
    send({ type: 'failed', ...describe(error) })
  }
}

/** @returns `undefined` if the language is not sure. A text that the library cannot read is no damaged file. */
async function detectLanguage({ parts }: TextSample): Promise<string | undefined> {
  try {
    const { languageOf } = await import('../language/language-of.js')
    return languageOf(parts)
  } catch {
    return undefined
  }
}

function checkSize(extension: string, sizeBytes: number): void {
  if (sizeBytes <= limits.maxWholeFileMb * 1_048_576) return
  throw new ExtractionError(
    'ERR_EXTRACTION_LIMIT',
    `A ${extension} file may have at most ${limits.maxWholeFileMb} MB: split it`,
  )
}

/** Reads the file into memory. A zip is unpacked once first, to check it before a parser sees it. */
async function checkedContainer(file: FileBytes, extension: string): Promise<FileBytes> {
  const bytes = await readAll(file)
  const { checkZip, isZip } = await import('../readers/docx/checked-zip.js')
  if (isZip(bytes)) await checkZip(bytes, extension)
  return inMemory(bytes)
}

/** Reads text under all other names. */
async function textReader(): Promise<Reader> {
  return (await import('../readers/text-reader.js')).readText
}

async function pictureReader(): Promise<Reader> {
  return (await import('../readers/picture/picture-reader.js')).readPicture
}

/** The number of requested pieces that have not arrived yet. */
let pendingPulls = 0

function requestBytes(): void {
  pendingPulls += 1
  send({ type: 'pull' })
}

async function receiveBytes(): Promise<Uint8Array | null> {
  const bytes = await receivedBytes.take()
  pendingPulls -= 1
  return bytes
}

/** The bytes of the file. The next piece is requested while the current one is read. */
const hostBytes: FileBytes['open'] = async function* () {
  // An earlier reader may have stopped before its last requested piece arrived.
  while (pendingPulls > 0) await receiveBytes()
  send({ type: 'open' })
  requestBytes()
  for (;;) {
    const bytes = await receiveBytes()
    if (bytes === null) return
    requestBytes()
    yield bytes
  }
}

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message)
}

/** Other errors come from the libraries, so the file is damaged. */
function describe(error: unknown): { readonly code: ExtractionErrorCode | undefined; readonly message: string } {
  if (error instanceof ExtractionError) return { code: error.code, message: error.message }
  if (error instanceof AlcoveError) return { code: undefined, message: error.message }
  return { code: 'ERR_CORRUPT_FILE', message: 'The file is damaged and cannot be read' }
}
