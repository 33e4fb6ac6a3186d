import { detect } from 'jschardet'
import { ExtractionError } from '../../../src/ports/index.js'
import { decoderFor, decodeWhole } from './charset-decoder.js'
import { guessCharset } from './charset-guess.js'
import { plausibility } from './charset-plausibility.js'
import { CharsetSample } from './charset-sample.js'
import type { StreamDecoder } from './stream-decoder.js'
import { unmarkedUnicode } from './unmarked-unicode.js'
import { Utf8Check } from './utf8-check.js'

const BLOCK_BYTES = 65_536
/** A text with more of them is none. */
const MOST_CONTROLS = 0.1
const FEW_CONTROLS = 4
/** Bits a character, of what an escape sequence has switched to. */
const MOST_ESCAPED_BITS = 13

/** An encoding, and how its bytes become text. */
export interface Charset {
  readonly name: string
  /**
   * How many of the characters outside ASCII may be undecodable before it is plain
   * that the encoding is another; 1 where the encoding is certain.
   */
  readonly mostReplaced: number
  /** Whether others are nearly as likely. */
  readonly isUnsure: boolean
  createDecoder(): StreamDecoder
}

/**
 * Finds out in which encoding a text is. Reads all of it once: whether a text is
 * UTF-8 is certain only at its end.
 *
 * @throws ExtractionError `ERR_UNDECODABLE_TEXT` where it is one that nothing here decodes, or none at all
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
  if (utf8.isValid) return charset((utf8.isAscii ? escaped(sample.escapes) : undefined) ?? 'utf-8', 1)
  if (utf8.isLikely) return charset('utf-8', 0.5)
  const { name, isUnsure } = guessCharset(sample)
  return charset(name, 0.02, isUnsure)
}

/** What is found must not depend on the pieces that the bytes come in. */
async function* inBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let begun: Uint8Array[] = []
  let size = 0
  for await (const piece of bytes) {
    begun.push(piece)
    size += piece.length
    if (size < BLOCK_BYTES) continue
    const joined = Buffer.concat(begun)
    const end = size - (size % BLOCK_BYTES)
    for (let at = 0; at < end; at += BLOCK_BYTES) yield joined.subarray(at, at + BLOCK_BYTES)
    begun = [joined.subarray(end)]
    size -= end
  }
  if (size > 0) yield Buffer.concat(begun)
}

function charset(name: string, mostReplaced: number, isUnsure = false): Charset {
  return { name, mostReplaced, isUnsure, createDecoder: () => decoderFor(name) }
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

/** Zeros apart, which some programs put between texts, and what ISO-2022 shifts with. */
function isBinary(head: Uint8Array): boolean {
  let controls = 0
  let zeros = 0
  for (const byte of head) {
    if (byte === 0) zeros += 1
    else if (byte < 0x09 || (byte > 0x0f && byte < 0x1b)) controls += 1
  }
  return controls > Math.max(FEW_CONTROLS, (head.length - zeros) * MOST_CONTROLS)
}

/** An encoding of seven bits: ISO-2022, HZ or UTF-7. What only looks like one decodes to nothing sensible. */
function escaped(lines: Uint8Array): string | undefined {
  if (lines.length === 0) return undefined
  const name = detect(lines).encoding?.toLowerCase() ?? ''
  if (!/^(iso-?2022|hz|utf-7)/.test(name)) return undefined
  return plausibility(decodeWhole(name, lines)) <= MOST_ESCAPED_BITS ? name : undefined
}
