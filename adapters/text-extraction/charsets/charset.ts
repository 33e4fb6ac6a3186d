import { detect } from 'jschardet'
import { ExtractionError } from '../../../src/ports/index.js'
import { decoderFor, decodeWhole } from './charset-decoder.js'
import { guessCharset } from './charset-guess.js'
import { bitsPerCharacter } from './charset-plausibility.js'
import { CharsetSample } from './charset-sample.js'
import type { StreamDecoder } from './stream-decoder.js'
import { unmarkedUnicode } from './unmarked-unicode.js'
import { Utf8Check } from './utf8-check.js'

const BLOCK_BYTES = 65_536
/** Content with a larger share of control characters is not text. */
const MAX_CONTROLS = 0.1
const FEW_CONTROLS = 4
/** The most bits for each character of a text in a seven-bit encoding. */
const MAX_ESCAPED_BITS = 13

/** An encoding with its decoder. */
export interface Charset {
  readonly name: string
  /**
   * The largest share of undecodable characters outside ASCII. Above it the encoding must be another one. 1 if the
   * encoding is certain.
   */
  readonly maxReplacedShare: number
  /** True if other encodings are almost as likely. */
  readonly isUnsure: boolean
  createDecoder(): StreamDecoder
}

/**
 * Detects the encoding of a text. Reads the whole text once, because only its end proves that it is UTF-8.
 *
 * @throws ExtractionError `ERR_UNDECODABLE_TEXT` if the encoding has no decoder, or if the content is not text
 */
export async function detectCharset(bytes: AsyncIterable<Uint8Array>): Promise<Charset> {
  const sample = new CharsetSample()
  const utf8 = new Utf8Check()
  for await (const block of inBlocks(bytes)) {
    sample.add(block)
    utf8.add(block)
    if (byteOrderMark(sample.head) !== undefined) break
    if (!utf8.isValid && sample.isFull) break
  }
  sample.end()
  utf8.end()
  const certain = byteOrderMark(sample.head) ?? unmarkedUnicode(sample.head, utf8.isValid)
  if (certain !== undefined) return charset(certain, 1)
  if (isBinary(sample.head)) throw new ExtractionError('ERR_UNDECODABLE_TEXT', 'The file is binary, not text')
  if (utf8.isValid) return charset((utf8.isAscii ? sevenBitCharset(sample.escapes) : undefined) ?? 'utf-8', 1)
  if (utf8.isLikely) return charset('utf-8', 0.5)
  const { name, isUnsure } = guessCharset(sample)
  return charset(name, 0.02, isUnsure)
}

/** Cuts the bytes into blocks of equal length, so that the result does not depend on the pieces of the source. */
async function* inBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = []
  let size = 0
  for await (const piece of bytes) {
    pending.push(piece)
    size += piece.length
    if (size < BLOCK_BYTES) continue
    const joined = Buffer.concat(pending)
    const end = size - (size % BLOCK_BYTES)
    for (let start = 0; start < end; start += BLOCK_BYTES) yield joined.subarray(start, start + BLOCK_BYTES)
    pending = [joined.subarray(end)]
    size -= end
  }
  if (size > 0) yield Buffer.concat(pending)
}

function charset(name: string, maxReplacedShare: number, isUnsure = false): Charset {
  return { name, maxReplacedShare, isUnsure, createDecoder: () => decoderFor(name) }
}

/** Checks UTF-32 before UTF-16: its little-endian mark begins with that of UTF-16. */
function byteOrderMark(head: Uint8Array): string | undefined {
  const [first, second, third, fourth] = head
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return third === 0 && fourth === 0 ? 'utf-32le' : 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return 'utf-32be'
  return undefined
}

/** Does not count zeros, which some programs put between texts, and the shift characters of ISO-2022. */
function isBinary(head: Uint8Array): boolean {
  let controls = 0
  let zeros = 0
  for (const byte of head) {
    if (byte === 0) zeros += 1
    else if (byte < 0x09 || (byte > 0x0f && byte < 0x1b)) controls += 1
  }
  return controls > Math.max(FEW_CONTROLS, (head.length - zeros) * MAX_CONTROLS)
}

/** Detects ISO-2022, HZ or UTF-7. Text that only looks like one of them decodes to improbable characters. */
function sevenBitCharset(lines: Uint8Array): string | undefined {
  if (lines.length === 0) return undefined
  const name = detect(lines).encoding?.toLowerCase() ?? ''
  if (!/^(iso-?2022|hz|utf-7)/.test(name)) return undefined
  return bitsPerCharacter(decodeWhole(name, lines)) <= MAX_ESCAPED_BITS ? name : undefined
}
