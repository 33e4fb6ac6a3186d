import { parentPort, workerData } from 'node:worker_threads'
import { AlcoveError, ExtractionError, type ExtractionErrorCode } from '../../../src/ports/index.js'
import { boundedPieces } from '../bounded-pieces.js'
import type { ExtractionLimits } from '../extraction-limits.js'
import { formatOf } from '../formats.js'
import { type FileBytes, type Reader, readAll } from '../readers/reader.js'
import type { HostMessage, WorkerMessage } from './extraction-protocol.js'
import { Mailbox } from './mailbox.js'

/** The thread in which files are read: a hostile one costs its process, never the host. */

/** Libraries are loaded when the first file of their kind comes. */
const READERS: Readonly<Record<string, () => Promise<Reader>>> = {
  '.pdf': async () => (await import('../readers/pdf/pdf-reader.js')).readPdf,
  '.docx': async () => (await import('../readers/word-reader.js')).readWord,
  '.doc': async () => (await import('../readers/word-reader.js')).readWord,
  '.csv': async () => (await import('../readers/csv/csv-reader.js')).readCsv,
  '.md': async () => (await import('../readers/text-reader.js')).readText,
  '.txt': async () => (await import('../readers/text-reader.js')).readText,
}
const READ_WHOLE: ReadonlySet<string> = new Set(['.pdf', '.docx', '.doc'])
const MAY_BE_ZIP: ReadonlySet<string> = new Set(['.docx', '.doc'])

const limits = workerData as ExtractionLimits
const bytesArrived = new Mailbox<Uint8Array | null>()
/** One for each piece that the host is ready to take. */
const turns = new Mailbox<true>()

parentPort?.on('message', (message: HostMessage) => {
  if (message.type === 'extract') void extract(message)
  else if (message.type === 'bytes') bytesArrived.put(message.bytes)
  else turns.put(true)
})

async function extract({ fileName, sizeBytes }: HostMessage & { readonly type: 'extract' }): Promise<void> {
  try {
    const { extension } = formatOf(fileName)
    if (READ_WHOLE.has(extension)) checkSize(extension, sizeBytes)
    let file: FileBytes = { sizeBytes, open: hostBytes }
    if (MAY_BE_ZIP.has(extension)) file = await checkedContainer(file)
    const reader = await READERS[extension]?.()
    let hasText = false
    for await (const piece of boundedPieces(reader?.(file) ?? nothing(), sizeBytes, limits.maxTextCharacters)) {
      hasText ||= piece.text.trim() !== ''
      await turns.take()
      send({ type: 'piece', piece })
    }
    await turns.take()
    if (!hasText) throw new ExtractionError('ERR_NO_TEXT', 'The file has no text')
    send({ type: 'end' })
  } catch (error) {
    send({ type: 'failed', ...describe(error) })
  }
}

function checkSize(extension: string, sizeBytes: number): void {
  if (sizeBytes <= limits.maxWholeFileMb * 1_048_576) return
  throw new ExtractionError(
    'ERR_EXTRACTION_LIMIT',
    `A ${extension} of more than ${limits.maxWholeFileMb} MB is not read: split it`,
  )
}

/** The file, in memory; a zip is unpacked once to see what its parser would get. */
async function checkedContainer(file: FileBytes): Promise<FileBytes> {
  const bytes = await readAll(file)
  const { checkZip, isZip } = await import('../readers/docx/checked-zip.js')
  if (isZip(bytes)) await checkZip(bytes)
  return {
    sizeBytes: bytes.length,
    open: async function* () {
      yield bytes
    },
  }
}

async function* nothing(): AsyncGenerator<never> {
  // A name that no reader is for has been refused before.
}

/** Pieces that were asked for and did not come yet. */
let asked = 0

function ask(): void {
  asked += 1
  send({ type: 'pull' })
}

async function askedBytes(): Promise<Uint8Array | null> {
  const bytes = await bytesArrived.take()
  asked -= 1
  return bytes
}

/** The file's bytes. While a piece is read, the next one is on its way. */
const hostBytes: FileBytes['open'] = async function* () {
  // Whoever read before may have left while a piece was on its way.
  while (asked > 0) await askedBytes()
  send({ type: 'open' })
  ask()
  for (;;) {
    const bytes = await askedBytes()
    if (bytes === null) return
    ask()
    yield bytes
  }
}

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message)
}

/** What the libraries throw at a file is about the file. */
function describe(error: unknown): { readonly code: ExtractionErrorCode | undefined; readonly message: string } {
  if (error instanceof ExtractionError) return { code: error.code, message: error.message }
  if (error instanceof AlcoveError) return { code: undefined, message: error.message }
  return { code: 'ERR_CORRUPT_FILE', message: 'The file is damaged and cannot be read' }
}
