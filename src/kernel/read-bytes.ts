import { untilAborted } from './scheduling/abort.js'

const FIRST_BYTES = 4_096

/** The limits of {@link readBytes}, and the errors that it throws beyond them. */
interface ReadLimits {
  readonly maxBytes: number
  /** All bytes must arrive within this time, so that a slow or silent client does not keep a connection forever. */
  readonly maxWaitMs: number
  readonly tooLarge: () => Error
  readonly tooSlow: () => Error
  /** Called with the size of the buffer before it grows. It may throw to end the read. */
  readonly grow?: ((toBytes: number) => void) | undefined
}

/**
 * Reads a stream as a whole, such as the body of a request.
 *
 * @throws the errors of the limits, and that of a stream that fails
 */
export async function readBytes(
  stream: ReadableStream<Uint8Array> | null,
  { maxBytes, maxWaitMs, tooLarge, tooSlow, grow }: ReadLimits,
): Promise<Uint8Array> {
  if (stream === null) return new Uint8Array()
  const reader = stream.getReader()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(tooSlow()), maxWaitMs)
  // One buffer that doubles its size: an array of pieces of a few bytes each would take many times their size.
  let buffer = new Uint8Array(FIRST_BYTES)
  let size = 0
  try {
    for (;;) {
      const { done, value } = await untilAborted(reader.read(), late.signal)
      if (done) return buffer.subarray(0, size)
      const end = size + value.byteLength
      if (end > maxBytes) throw tooLarge()
      if (end > buffer.length) {
        const length = Math.min(maxBytes, Math.max(end, buffer.length * 2))
        grow?.(length)
        const larger = new Uint8Array(length)
        larger.set(buffer.subarray(0, size))
        buffer = larger
      }
      buffer.set(value, size)
      size = end
    }
  } finally {
    clearTimeout(timer)
  }
}
