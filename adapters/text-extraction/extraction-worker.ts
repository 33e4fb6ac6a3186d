import { parentPort } from 'node:worker_threads'
import { AlcoveError, ExtractionError, type ExtractionErrorCode } from '../../src/ports/index.js'
import type { HostMessage, WorkerMessage } from './extraction-protocol.js'
import { formatOf } from './formats.js'
import { Mailbox } from './mailbox.js'
import type { FileBytes, Reader } from './readers/reader.js'

/** The thread in which files are read: a hostile one costs this thread, never the host. */

/** Libraries are loaded when the first file of their kind comes. */
const READERS: Readonly<Record<string, () => Promise<Reader>>> = {
  '.pdf': async () => (await import('./readers/pdf-reader.js')).readPdf,
  '.docx': async () => (await import('./readers/word-reader.js')).readWord,
  '.doc': async () => (await import('./readers/word-reader.js')).readWord,
  '.csv': async () => (await import('./readers/csv-reader.js')).readCsv,
  '.md': async () => (await import('./readers/text-reader.js')).readText,
  '.txt': async () => (await import('./readers/text-reader.js')).readText,
}

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
    const reader = await READERS[extension]?.()
    let hasText = false
    for await (const piece of reader?.({ sizeBytes, open: hostBytes }) ?? []) {
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

/** The file's bytes, asked for one piece at a time. */
const hostBytes: FileBytes['open'] = async function* () {
  send({ type: 'open' })
  for (;;) {
    send({ type: 'pull' })
    const bytes = await bytesArrived.take()
    if (bytes === null) return
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
