import { InvalidInputError } from '../kernel/errors.js'

/** The bytes of a file, in any of the forms in which a host has them. */
export type UploadContent = Uint8Array | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** Bytes that arrive, and how many, where that is known before. */
export interface ByteSource {
  readonly bytes: AsyncIterable<Uint8Array>
  readonly sizeBytes: number | undefined
  /** Frees what the source holds, if it was not read to its end. */
  release(): void
}

/**
 * To be called before anything else is waited for: a stream may fail at any time.
 * @throws InvalidInputError for anything else; while reading, for pieces that are no bytes
 */
export function toByteSource(content: UploadContent | null | undefined): ByteSource {
  if (content instanceof Uint8Array) return { bytes: once(content), sizeBytes: content.byteLength, release: nothing }
  if (content instanceof Blob) return { bytes: content.stream(), sizeBytes: content.size, release: nothing }
  if (typeof content !== 'object' || content === null || !(Symbol.asyncIterator in content)) {
    throw new InvalidInputError(
      'content',
      'must be a Readable, a ReadableStream, an AsyncIterable, a Blob or a Uint8Array',
    )
  }
  // A stream of Node that fails before it is read would end the process; its error comes when it is read.
  const stream = content as Partial<StreamEnds>
  stream.on?.('error', nothing)
  return { bytes: checked(content), sizeBytes: undefined, release: () => release(content) }
}

/** What streams of Node, and generators, have beside their bytes. */
interface StreamEnds {
  on(event: 'error', listener: () => void): unknown
  destroy(): unknown
  return(): Promise<unknown>
}

/** Streams of Node, of the web, and generators: each has a way to say that nobody reads on. */
function release(content: AsyncIterable<Uint8Array> & Partial<StreamEnds>): void {
  if (content.destroy !== undefined) content.destroy()
  else if (content instanceof ReadableStream && !content.locked) void content.cancel().catch(nothing)
  // A generator may fail as it ends; nobody is there to hear of it.
  else void Promise.resolve(content.return?.()).catch(nothing)
}

function nothing(): void {
  return undefined
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function* checked(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    if (!((piece as unknown) instanceof Uint8Array)) {
      throw new InvalidInputError('content', 'must yield Uint8Arrays: a stream with an encoding yields text')
    }
    yield piece
  }
}

/** Passes bytes on, once `inspect` has seen the first of them, up to `length`, and has not thrown. */
export async function* inspected(
  bytes: AsyncIterable<Uint8Array>,
  length: number,
  inspect: (head: Uint8Array) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] | undefined = []
  let heldBytes = 0
  for await (const piece of bytes) {
    if (held === undefined) {
      yield piece
      continue
    }
    held.push(piece)
    heldBytes += piece.byteLength
    if (heldBytes < length) continue
    await inspect(firstBytes(held, length))
    yield* held
    held = undefined
  }
  if (held === undefined) return
  await inspect(firstBytes(held, length))
  yield* held
}

function firstBytes(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const total = pieces.reduce((sum, piece) => sum + piece.byteLength, 0)
  const bytes = new Uint8Array(Math.min(total, length))
  let at = 0
  for (const piece of pieces) {
    const part = piece.subarray(0, bytes.length - at)
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
