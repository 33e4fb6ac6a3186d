import { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { type DocumentMetadata, documentMetadataSchema, InvalidInputError, parseJson } from '../../src/index.js'
import { refuseUnknownMembers, validate } from '../../src/ports/index.js'
import { HttpError } from '../node-kit/index.js'

/** The file of an upload while it arrives. */
export interface UploadedFile {
  readonly fileName: string
  /** Ends without an error only if the whole body is valid and has no second file. */
  readonly content: AsyncIterable<Uint8Array>
  /** Resolves at the end of the body, because the field may come after the file. Undefined without such a field. */
  readonly metadata: Promise<DocumentMetadata | undefined>
}

const FIELD = 'file'
const METADATA_FIELD = 'metadata'
const LIMITS = { files: 2, fields: 10, fieldSize: 65_536, parts: 20, headerSize: 65_536 }

/** Default of {@link HttpHandlerOptions.minUploadBytesPerSecond}. */
export const MIN_UPLOAD_BYTES_PER_SECOND = 1_024
/** The most bytes of a form beside its file: boundaries, headers, a name of 10,000 characters, other fields. */
export const MAX_FRAMING_BYTES = 1_048_576
/** The bytes in streams between the body and the file. */
const IN_FLIGHT_BYTES = 1_048_576

/** The rules by which {@link readUpload} reads a form. */
interface FormOptions {
  readonly minBytesPerSecond: number
  /** True to refuse a field with another name than `file` and `metadata`; false to ignore it. */
  readonly isClosed: boolean
}

const ESCAPED = /%(22|0D|0A)/g

/**
 * The name of a file as browsers know it: they escape these three characters in a form, by the HTML standard. The parser
 * does not tell a name of `filename*`, which it has decoded: there, an escape in the name itself is lost.
 */
function decodedName(fileName: string): string {
  return fileName.replaceAll(ESCAPED, (escape) => decodeURIComponent(escape))
}

/**
 * Reads multipart form data with exactly one file in the field `file`. Nothing is buffered: the body
 * is read as fast as the caller reads the content.
 *
 * @throws InvalidInputError for any other body. Errors after the file appear while the content is read
 * @throws HttpError 413 if the form has more bytes beside its file than it needs, 408 if the client is too slow
 */
export async function readUpload(
  request: Request,
  { minBytesPerSecond, isClosed }: FormOptions,
): Promise<UploadedFile> {
  const contentType = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(contentType) || request.body === null) {
    throw new InvalidInputError('', `the body must be multipart/form-data with one file in the field ${FIELD}`)
  }
  const parser = createParser(contentType)
  const body = Readable.from(pacedBody(request.body, minBytesPerSecond), { objectMode: false })
  const upload = new Upload(body, parser, isClosed)
  return await upload.file()
}

function createParser(contentType: string): BusboyInstance {
  try {
    const headers: BusboyHeaders = { 'content-type': contentType }
    return new Busboy({ headers, limits: LIMITS, preservePath: true })
  } catch {
    throw new InvalidInputError('', 'the content type multipart/form-data must name its boundary')
  }
}

class Upload {
  readonly #ended: Promise<void>
  #end: (problem?: Error) => void = () => undefined
  #onFile: ((file: UploadedFile) => void) | undefined
  #stream: BusboyFileStream | undefined
  #metadata: DocumentMetadata | undefined
  #bodyBytes = 0

  constructor(
    private readonly body: Readable,
    private readonly parser: BusboyInstance,
    private readonly isClosed: boolean,
  ) {
    this.#ended = new Promise((resolve, reject) => {
      this.#end = (problem) => {
        if (problem === undefined) resolve()
        else reject(problem)
      }
    })
    // If nothing awaits the promise, its error must not count as unhandled and end the process.
    this.#ended.catch(() => undefined)
    this.#listen()
  }

  async file(): Promise<UploadedFile> {
    const firstFile = new Promise<UploadedFile>((resolve) => {
      this.#onFile = resolve
    })
    this.body.pipe(this.parser)
    const ended = this.#ended.then(() => {
      throw new InvalidInputError(FIELD, 'is required: send one file in this field')
    })
    return await Promise.race([firstFile, ended])
  }

  #listen(): void {
    this.parser.on('file', (name, stream, fileName) => {
      // The parser reports these errors too.
      stream.on('error', () => undefined)
      if (name === METADATA_FIELD)
        this.#refuse(new InvalidInputError(METADATA_FIELD, 'must be a field without a file name'))
      else if (name !== FIELD) this.#refuse(new InvalidInputError(FIELD, 'must be the only field with a file'))
      else if (this.#stream !== undefined) this.#refuse(new InvalidInputError(FIELD, 'must contain exactly one file'))
      else {
        this.#stream = stream
        const metadata = this.#ended.then(() => this.#metadata)
        metadata.catch(() => undefined)
        this.#onFile?.({ fileName: decodedName(fileName), content: this.#content(stream), metadata })
      }
    })
    this.parser.on('field', (name, value, isNameCut, isValueCut) => {
      if (name === FIELD) this.#refuse(new InvalidInputError(FIELD, 'must be a file with a file name'))
      else if (isNameCut || isValueCut) this.#refuse(tooMuch())
      else if (name === METADATA_FIELD) this.#readMetadata(value)
      else if (this.isClosed) this.#refuseUnknown(name)
    })
    this.body.on('data', (piece: Uint8Array) => {
      this.#bodyBytes += piece.byteLength
      const framingBytes = this.#bodyBytes - (this.#stream?.bytesRead ?? 0)
      if (framingBytes > MAX_FRAMING_BYTES + IN_FLIGHT_BYTES) this.#refuse(tooMuch())
    })
    for (const limit of ['partsLimit', 'fieldsLimit', 'filesLimit'] as const) {
      this.parser.on(limit, () => this.#refuse(new InvalidInputError(FIELD, 'the form has too many parts')))
    }
    this.parser.on('error', () =>
      this.#refuse(new InvalidInputError('', 'the multipart body is malformed or ended too early')),
    )
    this.body.on('error', (error) =>
      this.#refuse(error instanceof HttpError ? error : new InvalidInputError('', 'the body ended too early')),
    )
    this.parser.on('finish', () => this.#end())
  }

  #readMetadata(text: string): void {
    try {
      if (this.#metadata !== undefined) throw new InvalidInputError(METADATA_FIELD, 'must be given once')
      this.#metadata = validate(documentMetadataSchema, parseJson(text, METADATA_FIELD), METADATA_FIELD)
    } catch (error) {
      this.#refuse(error as Error)
    }
  }

  #refuseUnknown(name: string): void {
    try {
      refuseUnknownMembers({ [name]: undefined }, [FIELD, METADATA_FIELD], 'field')
    } catch (error) {
      this.#refuse(error as Error)
    }
  }

  #refuse(problem: Error): void {
    this.#end(problem)
    this.#stream?.destroy(problem)
    this.#release()
  }

  async *#content(stream: BusboyFileStream): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of stream) yield piece as Uint8Array
      await this.#ended
    } catch (error) {
      // Throws the reason why the body was refused. The error of the destroyed stream is only its effect.
      await this.#ended
      throw error
    } finally {
      this.#release()
    }
  }

  /**
   * Stops parsing and discards the rest of the body. Destroying the body would cut the connection before the answer
   * is sent. The server limits how long the client may send after the answer.
   */
  #release(): void {
    this.body.unpipe(this.parser)
    this.parser.destroy()
    this.body.resume()
  }
}

function tooMuch(): HttpError {
  return new HttpError(
    413,
    'ERR_BODY_TOO_LARGE',
    `the form must have at most ${MAX_FRAMING_BYTES} bytes beside its file`,
  )
}

const SECOND_MS = 1_000
/** The rate is measured over these seconds, because a network may fail for a while. */
const WINDOW_SECONDS = 30

/**
 * Reads a body and refuses a client that sends it too slowly.
 *
 * - Only the time in which the reader waits for the client counts: a slow reader refuses nobody.
 * - The rate is measured over the last 30 such seconds. A minimum of 0 switches the check off.
 *
 * @throws HttpError 408 `ERR_TOO_SLOW`
 */
export async function* pacedBody(
  body: ReadableStream<Uint8Array>,
  minBytesPerSecond: number,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const pace = new Pace(minBytesPerSecond)
  for (;;) {
    const { done, value } = await pace.wait(reader.read())
    if (done) return
    pace.receive(value.byteLength)
    yield value
  }
}

class Pace {
  readonly #minBytes: number
  /** The bytes of each full second of waiting, the newest last. */
  readonly #bytesOfSeconds: number[] = []
  #receivedBytes = 0
  /** The rest of the current second of waiting. */
  #leftMs = SECOND_MS

  constructor(minBytesPerSecond: number) {
    this.#minBytes = minBytesPerSecond * WINDOW_SECONDS
  }

  receive(bytes: number): void {
    this.#receivedBytes += bytes
  }

  async wait<T>(read: Promise<T>): Promise<T> {
    let startedAt = performance.now()
    let timer: ReturnType<typeof setTimeout> | undefined
    const slow = new Promise<never>((_resolve, reject) => {
      const startSecond = (): void => {
        timer = setTimeout(() => {
          startedAt = performance.now()
          this.#leftMs = SECOND_MS
          if (this.#isTooSlowAfterSecond()) reject(this.#refusal())
          else startSecond()
        }, this.#leftMs)
      }
      startSecond()
    })
    try {
      return await Promise.race([read, slow])
    } finally {
      clearTimeout(timer)
      this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - startedAt))
    }
  }

  #isTooSlowAfterSecond(): boolean {
    this.#bytesOfSeconds.push(this.#receivedBytes)
    this.#receivedBytes = 0
    if (this.#bytesOfSeconds.length < WINDOW_SECONDS) return false
    const totalBytes = this.#bytesOfSeconds.reduce((sum, bytes) => sum + bytes, 0)
    this.#bytesOfSeconds.shift()
    return totalBytes < this.#minBytes
  }

  #refusal(): HttpError {
    const rate = `${this.#minBytes / WINDOW_SECONDS} bytes a second`
    const problem = `the body arrived more slowly than ${rate} over ${WINDOW_SECONDS} seconds: retry on a faster connection`
    return new HttpError(408, 'ERR_TOO_SLOW', problem)
  }
}
