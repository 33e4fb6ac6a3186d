import { detect } from 'jschardet'
import { ExtractionError } from '../../src/ports/index.js'
import { decoderFor, type StreamDecoder } from './charset-decoder.js'

/** Enough to tell an encoding; more costs 0.3 s per megabyte. */
const SAMPLE_BYTES = 65_536
/** Below this the detector guesses, and Western text is the likeliest by far. */
const LEAST_CONFIDENCE = 0.2
const SURE_CONFIDENCE = 0.5

const WESTERN = 'windows-1252'
const MACINTOSH = 'macintosh'

/** An encoding, and how its bytes become text. */
export interface Charset {
  readonly name: string
  createDecoder(): StreamDecoder
}

/**
 * Finds out in which encoding a text is. Reads all of it once: whether a text is
 * UTF-8 is certain only at its end.
 *
 * @throws ExtractionError `ERR_UNDECODABLE_TEXT` where it is one that nothing here decodes
 */
export async function detectCharset(bytes: AsyncIterable<Uint8Array>): Promise<Charset> {
  const sample = new Sample()
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let isUtf8 = true
  for await (const piece of bytes) {
    const bom = sample.head.length === 0 ? byteOrderMark(piece) : undefined
    if (bom !== undefined) return charset(bom)
    sample.add(piece)
    if (isUtf8) isUtf8 = isValid(utf8, piece)
    if (!isUtf8 && sample.isFull) break
  }
  if (isUtf8 && !sample.hasEscapes) return charset(unmarkedUtf16(sample.head) ?? 'utf-8')
  return charset(unmarkedUtf16(sample.head) ?? detected(sample, isUtf8))
}

function charset(name: string): Charset {
  return { name, createDecoder: () => decoderFor(name) }
}

function isValid(decoder: InstanceType<typeof TextDecoder>, piece: Uint8Array): boolean {
  try {
    decoder.decode(piece, { stream: true })
    return true
  } catch {
    return false
  }
}

/** UTF-32 first: its little-endian mark begins as that of UTF-16. */
function byteOrderMark(head: Uint8Array): string | undefined {
  const [first, second, third, fourth] = head
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'utf-32le' : 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return 'utf-32be'
  return undefined
}

/** UTF-16 without a mark: Western text has a zero in every other byte. */
function unmarkedUtf16(head: Uint8Array): string | undefined {
  const zeros = [0, 0]
  head.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  })
  const [even = 0, odd = 0] = zeros
  const half = head.length / 2
  if (half < 2 || even + odd < half * 0.4) return undefined
  if (odd > even * 10) return 'utf-16le'
  return even > odd * 10 ? 'utf-16be' : undefined
}

function detected(sample: Sample, isUtf8: boolean): string {
  const byHead = detect(binaryString(sample.head))
  const byLines = detect(binaryString(sample.lines))
  const best = byHead.confidence >= SURE_CONFIDENCE || byHead.confidence >= byLines.confidence ? byHead : byLines
  if (isUtf8) return /^(iso-2022|hz)/i.test(best.encoding ?? '') ? (best.encoding ?? 'utf-8') : 'utf-8'
  if (best.encoding === null || best.confidence < LEAST_CONFIDENCE) return guessWestern(sample.lines)
  return best.encoding
}

/** Windows or Macintosh: in the wrong one of them, capitals stand inside words. */
function guessWestern(bytes: Uint8Array): string {
  if (isEbcdic(bytes)) {
    throw new ExtractionError('ERR_UNDECODABLE_TEXT', 'The text is in an EBCDIC encoding: convert it to UTF-8')
  }
  const oddities = (name: string): number => {
    const text = new TextDecoder(name).decode(bytes)
    return (text.match(/\p{Ll}(?![A-Z])\p{Lu}/gu) ?? []).length
  }
  return oddities(MACINTOSH) < oddities(WESTERN) ? MACINTOSH : WESTERN
}

/** In EBCDIC the blank is 0x40, and letters lie above 0x80. */
function isEbcdic(bytes: Uint8Array): boolean {
  let blanks = 0
  let ascii = 0
  for (const byte of bytes) {
    if (byte === 0x40) blanks += 1
    if (byte === 0x20 || (byte >= 0x61 && byte <= 0x7a)) ascii += 1
  }
  return blanks > bytes.length * 0.1 && blanks > ascii
}

function binaryString(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

/** The beginning of a text, and those of its lines that are not ASCII. */
class Sample {
  #head: Uint8Array = new Uint8Array()
  #lines: Uint8Array[] = []
  #linesLength = 0
  /** Whether there are the escape sequences that 7-bit encodings are made of. */
  hasEscapes = false

  get head(): Uint8Array {
    return this.#head
  }

  get lines(): Uint8Array {
    return Buffer.concat(this.#lines)
  }

  get isFull(): boolean {
    return this.#head.length >= SAMPLE_BYTES && this.#linesLength >= SAMPLE_BYTES
  }

  add(piece: Uint8Array): void {
    if (this.#head.length < SAMPLE_BYTES) {
      this.#head = Buffer.concat([this.#head, piece.subarray(0, SAMPLE_BYTES - this.#head.length)])
      this.hasEscapes ||= this.#head.includes(0x1b) || Buffer.from(this.#head).includes('~{')
    }
    for (let from = 0; from < piece.length && this.#linesLength < SAMPLE_BYTES; ) {
      const lineFeed = piece.indexOf(0x0a, from)
      const end = lineFeed < 0 ? piece.length : lineFeed + 1
      const line = piece.subarray(from, Math.min(end, from + SAMPLE_BYTES))
      if (line.some((byte) => byte >= 0x80)) {
        this.#lines.push(line)
        this.#linesLength += line.length
      }
      from = end
    }
  }
}
