import { InvalidInputError } from '../../kernel/errors.js'
import { isBlob, isBytes, isWebStream } from '../../kernel/realms.js'

/** The bytes of a file, in one of the forms that a host may have. A string becomes UTF-8. */
export type UploadContent = string | Uint8Array | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** Bytes that arrive, and their number. */
export interface ByteSource {
  readonly bytes: AsyncIterable<Uint8Array>
  /** Undefined if it is unknown before all bytes have arrived. */
  readonly sizeBytes: number | undefined
  /** Closes the source, if it was not read to its end. */
  release(): void
}

/**
 * Call this before the first `await`: a stream may fail at any time.
 * @throws InvalidInputError if the content has another form; while reading, if a piece is no Uint8Array
 */
export function toByteSource(content: UploadContent | null | undefined): ByteSource {
  if (typeof content === 'string') return toByteSource(new TextEncoder().encode(content))
  if (isBytes(content)) return { bytes: single(content), sizeBytes: content.byteLength, release: doNothing }
  if (isBlob(content)) return { bytes: content.stream(), sizeBytes: content.size, release: doNothing }
  if (typeof content !== 'object' || content === null || !(Symbol.asyncIterator in content)) {
    throw new InvalidInputError(
      'content',
      'must be a string, a Readable, a ReadableStream, an AsyncIterable, a Blob or a Uint8Array',
    )
  }
  // Without a listener, a stream of Node that fails before it is read would crash the process. Reading throws the error.
  const stream = content as Partial<StreamEnds>
  stream.on?.('error', doNothing)
  return { bytes: validated(content), sizeBytes: undefined, release: () => release(content) }
}

/** The members of Node streams and generators that {@link release} needs. */
interface StreamEnds {
  on(event: 'error', listener: () => void): unknown
  destroy(): unknown
  return(): Promise<unknown>
}

/** Closes a Node stream, a web stream or a generator, each in its own way. */
function release(content: AsyncIterable<Uint8Array> & Partial<StreamEnds>): void {
  if (content.destroy !== undefined) content.destroy()
  else if (isWebStream(content) && !content.locked) void content.cancel().catch(doNothing)
  // A generator may fail while it closes; no caller waits for that error.
  else void Promise.resolve(content.return?.()).catch(doNothing)
}

function doNothing(): void {
  return undefined
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function* validated(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    if (!isBytes(piece)) {
      throw new InvalidInputError(
        'content',
        'must yield Uint8Arrays: a stream with an encoding yields text, so open it without one',
      )
    }
    yield piece
  }
}

/** Passes bytes on, but first gives the head of at most `length` bytes to `inspect`, which may throw. */
export async function* inspected(
  bytes: AsyncIterable<Uint8Array>,
  length: number,
  inspect: (head: Uint8Array) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  /** The pieces of the head; undefined after the inspection. */
  let headPieces: Uint8Array[] | undefined = []
  let headBytes = 0
  for await (const piece of bytes) {
    if (headPieces === undefined) {
      yield piece
      continue
    }
    headPieces.push(piece)
    headBytes += piece.byteLength
    if (headBytes < length) continue
    await inspect(firstBytes(headPieces, length))
    yield* headPieces
    headPieces = undefined
  }
  if (headPieces === undefined) return
  await inspect(firstBytes(headPieces, length))
  yield* headPieces
}

function firstBytes(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const total = pieces.reduce((sum, piece) => sum + piece.byteLength, 0)
  const bytes = new Uint8Array(Math.min(total, length))
  let offset = 0
  for (const piece of pieces) {
    const part = piece.subarray(0, bytes.length - offset)
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}
