import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ExtractionError, type RecognizedText, untilAborted } from '../../src/ports/index.js'
import type {
  PictureMessage,
  RecognitionAnswer,
  RecognitionMessage,
  RecognitionSettings,
} from './recognition-protocol.js'

const CHILD = fileURLToPath(new URL('./recognition-child.js', import.meta.url))
/** The only environment variables that the process inherits: Node may need them to start and to find packages. */
const INHERITED_ENVIRONMENT = ['NODE_OPTIONS', 'SystemRoot']
/** The most bytes in one message. Copying more would block the host's event loop. */
const MAX_PART_BYTES = 262_144
/** A process is replaced after this number of pictures: WebAssembly never gives memory back. */
const PICTURES_PER_PROCESS = 50
/** Tesseract finds no text in a larger picture, and tells no error. */
const MAX_SIDE_PIXELS = 32_767

/** A process that reads one picture at a time. Do not use it after {@link isSpent} is true. */
export class RecognitionProcess {
  readonly #child: ChildProcess
  readonly #ended: Promise<void>
  #isSpent = false
  #pictures = 0
  #receive: ((message: RecognitionMessage) => void) | undefined
  #reportEnd: ((exit: string) => void) | undefined

  constructor(private readonly settings: RecognitionSettings) {
    this.#child = fork(CHILD, [JSON.stringify(settings)], {
      env: Object.fromEntries(INHERITED_ENVIRONMENT.map((name) => [name, process.env[name]])),
      execArgv: [],
      serialization: 'advanced',
      // The output of the library about broken pictures must not appear in the host's output.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child.on('message', (message) => this.#receive?.(message as RecognitionMessage))
    this.#ended = new Promise((resolve) => {
      const end = (exit: string): void => {
        this.#isSpent = true
        this.#reportEnd?.(exit)
        resolve()
      }
      this.#child.on('error', (error) => end(error.message))
      this.#child.on('exit', (code, signal) => end(String(signal ?? code)))
    })
    this.#unref()
  }

  /** True if the process has ended or ends. It ends after an error that may have damaged it, and after many pictures. */
  get isSpent(): boolean {
    return this.#isSpent
  }

  /**
   * Reads a picture. An abort, and a picture that takes too long, end the process.
   * @throws ExtractionError, or the reason of the signal
   */
  async recognize(picture: Uint8Array, timeoutMs: number, signal: AbortSignal | undefined): Promise<RecognizedText> {
    let isKept = false
    this.#child.ref()
    this.#child.channel?.ref()
    try {
      const answer = await untilAborted(this.#answer(picture, timeoutMs), signal)
      this.#pictures += 1
      isKept = !answer.isSpent && this.#pictures < PICTURES_PER_PROCESS
      if (answer.type === 'recognized') return { text: answer.text, confidence: answer.confidence }
      throw answer.cause === 'damaged' ? damaged() : tooManyPixels()
    } finally {
      // The end of the process also ends the wait for its answer.
      if (!isKept) await this.terminate()
      this.#receive = undefined
      this.#reportEnd = undefined
      this.#unref()
    }
  }

  async terminate(): Promise<void> {
    this.#isSpent = true
    this.#child.ref()
    this.#child.kill('SIGKILL')
    if (this.#child.pid !== undefined) await this.#ended
  }

  async #answer(picture: Uint8Array, timeoutMs: number): Promise<RecognitionAnswer> {
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise((resolve, reject) => {
        timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs)
        this.#reportEnd = (exit) => reject(ended(exit))
        this.#receive = (message) => {
          if (message.type !== 'died') resolve(message)
          else reject(message.cause === 'memory' ? tooLarge(this.settings.maxMemoryMb) : notStarted(this.settings))
        }
        if (this.#isSpent) reject(ended('before its first picture'))
        void this.#sendParts(picture)
      })
    } finally {
      clearTimeout(timer)
    }
  }

  async #sendParts(picture: Uint8Array): Promise<void> {
    for (let at = 0; at < picture.length; at += MAX_PART_BYTES) {
      await this.#send({ type: 'bytes', bytes: picture.subarray(at, at + MAX_PART_BYTES) })
    }
    await this.#send({ type: 'recognize' })
  }

  /** Ignores a closed channel: the end of the process is reported anyway. */
  async #send(message: PictureMessage): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#child.connected) this.#child.send(message, () => resolve())
      else resolve()
    })
  }

  /** An idle process does not keep its host alive. */
  #unref(): void {
    this.#child.unref()
    this.#child.channel?.unref()
  }
}

function damaged(): ExtractionError {
  return new ExtractionError('ERR_CORRUPT_FILE', 'The picture is damaged and cannot be read')
}

function tooManyPixels(): ExtractionError {
  return new ExtractionError(
    'ERR_EXTRACTION_LIMIT',
    `A picture whose text is recognised may have at most ${MAX_SIDE_PIXELS.toLocaleString('en-US')} pixels on a side: cut it`,
  )
}

function tooSlow(timeoutMs: number): ExtractionError {
  return new ExtractionError(
    'ERR_EXTRACTION_TIMEOUT',
    `Recognising the text of a page takes longer than ${Math.ceil(timeoutMs / 1_000)} seconds: use a smaller picture`,
  )
}

function tooLarge(maxMemoryMb: number): ExtractionError {
  return new ExtractionError(
    'ERR_EXTRACTION_LIMIT',
    `Recognising the text of a page needs more than ${maxMemoryMb} MB of memory: use a smaller picture`,
  )
}

/** Another program may have ended the process: the picture may be good. */
function ended(exit: string): Error {
  return new Error(`The process that recognises text has ended (${exit}): the machine may be short of memory`)
}

function notStarted({ languages }: RecognitionSettings): Error {
  return new Error(
    `Text recognition in ${languages.join('+')} cannot start: install the packages of its languages again`,
  )
}
