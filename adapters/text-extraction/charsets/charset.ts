import { detect } from 'jschardet'
import { ExtractionError } from '../../../src/ports/index.js'
import { decoderFor, decodeWhole, type StreamDecoder } from './charset-decoder.js'
import { guessCharset, oddShare } from './charset-guess.js'
import { CharsetSample } from './charset-sample.js'
import { markedUnicode, UnicodeCheck, unmarkedUnicode } from './unicode-check.js'

const BLOCK_BYTES = 65_536
/** Content with a larger share of control characters is not text. */
const MAX_CONTROLS = 0.1
const FEW_CONTROLS = 4
const MAX_ODD_SHARE = 0.1

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

/** The largest share of undecodable characters for an encoding that the text declares itself. */
const MAX_DECLARED_REPLACED = 0.05

/**
 * Detects the encoding of a text. Reads the whole text once, because only its end proves that it is UTF-8.
 *
 * @param declared the encoding that the text declares. It counts if the text is not Unicode and fits it
 * @throws ExtractionError `ERR_UNDECODABLE_TEXT` if the encoding has no decoder, or if the content is not text
 */
export async function detectCharset(bytes: AsyncIterable<Uint8Array>, declared?: string): Promise<Charset> {
  const sample = new CharsetSample()
  const unicode = new UnicodeCheck()
  for await (const block of inBlocks(bytes)) {
    sample.add(block)
    unicode.add(block)
    if (markedUnicode(sample.head) !== undefined) break
    if (!unicode.isUtf8 && sample.isFull) break
  }
  sample.end()
  unicode.end()
  const certain = markedUnicode(sample.head) ?? unmarkedUnicode(sample.head, unicode.isUtf8)
  if (certain !== undefined) return charset(certain, 1)
  if (isBinary(sample.head)) throw new ExtractionError('ERR_UNDECODABLE_TEXT', 'The file is binary, not text')
  if (unicode.isUtf8) return charset((unicode.isAscii ? sevenBitCharset(sample.escapes) : undefined) ?? 'utf-8', 1)
  if (unicode.isLikelyUtf8) return charset('utf-8', 0.5)
  if (declared !== undefined && fits(declared, sample.lines)) return charset(declared, MAX_DECLARED_REPLACED)
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

/** True if the encoding has a decoder and decodes almost all of the text. A text in Unicode was found before. */
function fits(name: string, lines: Uint8Array): boolean {
  if (/^(?:utf|ucs|unicode)/i.test(name)) return false
  try {
    const text = decodeWhole(name, lines)
    return text.split('\uFFFD').length - 1 <= lines.length * MAX_DECLARED_REPLACED
  } catch {
    return false
  }
}

function charset(name: string, maxReplacedShare: number, isUnsure = false): Charset {
  return { name, maxReplacedShare, isUnsure, createDecoder: () => decoderFor(name) }
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

/** Detects ISO-2022, HZ or UTF-7. A text that only looks like one of them decodes to odd characters. */
function sevenBitCharset(lines: Uint8Array): string | undefined {
  if (lines.length === 0) return undefined
  const name = detect(lines).encoding?.toLowerCase() ?? ''
  if (!/^(iso-?2022|hz|utf-7)/.test(name)) return undefined
  return oddShare(decodeWhole(name, lines)) <= MAX_ODD_SHARE ? name : undefined
}
