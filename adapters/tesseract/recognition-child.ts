/**
 * The program that reads pictures. The recogniser runs in a thread of its own. This thread stays responsive, watches the
 * memory of the process, and ends with its host.
 */
import { writeFileSync } from 'node:fs'
import type { RecognizedText } from '../../src/ports/index.js'
import type { PictureMessage, RecognitionMessage, RecognitionSettings } from './recognition-protocol.js'
import { turnedPicture } from './upright-picture.js'

type Worker = import('tesseract.js').Worker

/** In this time a recogniser can fill some tens of megabytes. */
const WATCH_EVERY_MS = 20
/** The time for the last message to reach the host. */
const LAST_MESSAGE_MS = 2_000
/** A text that is less sure than this may be one of a page that is turned. */
const UPRIGHT_CONFIDENCE = 65
/** The error about bytes that are no picture. After any other error, the memory of the recogniser may be damaged. */
const NO_PICTURE = 'Error attempting to read image'
/** The notice about a picture with a side of more than 32,767 pixels, which has no text then. */
const TOO_MANY_PIXELS = 'Image too large'
/** The numbers of the recognisers: the older one alone finds the orientation. */
const [OLDER, NEURAL] = [0, 1]

// If memory is short, Linux ends this process before the host.
if (process.platform === 'linux') {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Some containers forbid it.
  }
}

const settings = JSON.parse(process.argv[2] ?? '{}') as RecognitionSettings
let parts: Uint8Array[] = []
let reader: Promise<Worker> | undefined
let orientation: Promise<Worker> | undefined
let isDying = false
/** True after an error that may have damaged a recogniser. */
let isSpent = false

setInterval(() => {
  if (process.memoryUsage.rss() > settings.maxMemoryMb * 1_048_576) die('memory')
}, WATCH_EVERY_MS)

process.on('message', (message: PictureMessage) => {
  if (message.type === 'bytes') parts.push(message.bytes)
  else {
    const picture = Buffer.concat(parts)
    parts = []
    void answer(picture)
  }
})
// A killed host sends no message, but its end of the channel closes.
process.on('disconnect', end)
if (!process.connected) end()
// A terminal sends its signals to the whole process group. Only the host handles them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)

async function answer(picture: Buffer): Promise<void> {
  reader ??= start(settings.languages, NEURAL, settings.languageFolder)
  const worker = await reader.catch(() => undefined)
  if (worker === undefined) {
    die('start')
    return
  }
  try {
    const { text, confidence } = await recognize(worker, picture)
    send({ type: 'recognized', text, confidence, isSpent })
  } catch (error) {
    const message = String(error)
    const cause = message.includes(TOO_MANY_PIXELS) ? 'too-many-pixels' : 'damaged'
    isSpent ||= cause === 'damaged' && !message.includes(NO_PICTURE)
    send({ type: 'refused', cause, isSpent })
  }
}

/** Reads a picture as it stands, and once more upright if its text is not sure and the page is turned. */
async function recognize(worker: Worker, picture: Buffer): Promise<RecognizedText> {
  const asItStands = await read(worker, picture)
  const { orientationFolder } = settings
  if (orientationFolder === undefined || asItStands.confidence >= UPRIGHT_CONFIDENCE) return shown(asItStands)
  try {
    const upright = await readUpright(worker, picture, orientationFolder)
    return shown(upright !== undefined && upright.confidence > asItStands.confidence ? upright : asItStands)
  } catch {
    // The text of before is still good.
    isSpent = true
    return shown(asItStands)
  }
}

/** @returns undefined for a page that stands upright, or whose orientation is not known */
async function readUpright(worker: Worker, picture: Buffer, orientationFolder: string): Promise<Reading | undefined> {
  orientation ??= start(['osd'], OLDER, orientationFolder)
  const { data } = await (await orientation).detect(picture)
  const degrees = data.orientation_degrees ?? 0
  return degrees === 0 ? undefined : await read(worker, turnedPicture(await asPng(worker, picture), degrees))
}

interface Reading {
  readonly text: string
  /** 0 to 100. */
  readonly confidence: number
}

async function read(worker: Worker, picture: Buffer): Promise<Reading> {
  const { data } = await worker.recognize(picture, {}, { text: true, debug: true })
  if (data.text === '' && data.debug?.includes(TOO_MANY_PIXELS)) throw new Error(TOO_MANY_PIXELS)
  return { text: data.text, confidence: data.confidence }
}

/** The picture as a PNG, in grey. */
async function asPng(worker: Worker, picture: Buffer): Promise<Buffer> {
  const { data } = await worker.recognize(picture, {}, { text: false, imageGrey: true })
  return Buffer.from(data.imageGrey?.split(',')[1] ?? '', 'base64')
}

function shown({ text, confidence }: Reading): RecognizedText {
  const plain = text.replaceAll('\0', '\uFFFD').toWellFormed().trim()
  return { text: plain, confidence: plain === '' ? 0 : Math.min(1, Math.max(0, confidence / 100)) }
}

/** Starts a recogniser. @throws the error of its start, which the library tells to a handler only */
async function start(languages: readonly string[], engine: number, langPath: string): Promise<Worker> {
  const { createWorker, PSM } = (await import('tesseract.js')).default
  const worker = await new Promise<Worker>((resolve, reject) => {
    createWorker([...languages], engine, {
      langPath,
      // The data is on the disk already.
      cacheMethod: 'none',
      ...(engine === OLDER && { legacyCore: true, legacyLang: true }),
      errorHandler: reject,
    }).then(resolve, reject)
  })
  // Otherwise the library takes a page for one block, and loses words of columns and tables.
  if (engine === NEURAL) await worker.setParameters({ tessedit_pageseg_mode: PSM.AUTO })
  return worker
}

function send(message: RecognitionMessage): void {
  process.send?.(message)
}

function die(cause: 'memory' | 'start'): void {
  if (isDying) return
  isDying = true
  setTimeout(end, LAST_MESSAGE_MS)
  process.send?.({ type: 'died', cause } satisfies RecognitionMessage, end)
}

/** Ends the process at once. An orderly exit would wait for the threads. */
function end(): void {
  process.kill(process.pid, 'SIGKILL')
}
