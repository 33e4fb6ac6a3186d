import iconv from 'iconv-lite'
import { ExtractionError } from '../../../src/ports/index.js'

/** Turns bytes into text piece by piece. It keeps the bytes of an incomplete character for the next piece. */
export interface StreamDecoder {
  write(bytes: Uint8Array): string
  end(): string
}

/** Names of the detector, with the names of decoders for the same encoding or a superset. */
const ALIASES: Readonly<Record<string, string>> = {
  cp874: 'windows-874',
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  ibm855: 'cp855',
  ibm866: 'cp866',
  'iso-8859-1': 'windows-1252',
  'iso-8859-9': 'windows-1254',
  maccyrillic: 'x-mac-cyrillic',
  maclatin2: 'maccenteuro',
  macroman: 'macintosh',
}

/** The name of an encoding for the decoders. */
export function canonicalName(name: string): string {
  const lower = name.toLowerCase().replace(/^iso8859/, 'iso-8859')
  return ALIASES[lower] ?? lower
}

/** @throws ExtractionError `ERR_UNDECODABLE_TEXT` if no decoder exists */
export function decoderFor(name: string): StreamDecoder {
  const label = canonicalName(name)
  const decoder = ownDecoder(label) ?? webDecoder(label) ?? iconvDecoder(label)
  if (decoder !== undefined) return decoder
  throw new ExtractionError(
    'ERR_UNDECODABLE_TEXT',
    `The text is encoded in ${name}, which is not supported: convert it to UTF-8`,
  )
}

/** Decodes a whole text at once. */
export function decodeWhole(name: string, bytes: Uint8Array): string {
  const decoder = decoderFor(name)
  return decoder.write(bytes) + decoder.end()
}

function webDecoder(label: string): StreamDecoder | undefined {
  // `TextDecoder` decodes the first encodings to nothing. Some versions of Node take windows-1252 for ISO 8859-1.
  if (/^iso-2022-(kr|cn)|^hz|^windows-1252$/.test(label)) return undefined
  try {
    const decoder = new TextDecoder(label)
    return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() }
  } catch {
    return undefined
  }
}

function iconvDecoder(label: string): StreamDecoder | undefined {
  if (!iconv.encodingExists(label)) return undefined
  const decoder = iconv.getDecoder(label)
  return { write: (bytes) => decoder.write(Buffer.from(bytes)), end: () => decoder.end() ?? '' }
}

const LINE_FEED = 0x0a
const TILDE = 0x7e
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d]
const [SHIFT_OUT, SHIFT_IN] = [0x0e, 0x0f]
/** The sequence by which ISO-2022-KR names its table: `ESC $ ) C`. */
const DESIGNATION = [0x1b, 0x24, 0x29, 0x43]

/** The index of each code of first consonant, vowel and last consonant in the 15 bits of a syllable; -1 if invalid. */
const FIRST = indexes([2, 20])
const VOWEL = indexes([3, 7], [10, 15], [18, 23], [26, 29])
const LAST = indexes([1, 17], [19, 29])
/** The codes of an empty position. */
const NO_FIRST = 1
const NO_VOWEL = 2
const NO_LAST = 1

const HANGUL_SYLLABLES = 0xac00
const COMPATIBILITY_VOWELS = 0x314f
const COMPATIBILITY_CONSONANTS = 'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ'
const COMPATIBILITY_FINALS = ' ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ'

const ksX1001 = new TextDecoder('euc-kr')

/** A decoder for an encoding that no library decodes: HZ, ISO-2022-KR or Johab. @returns `undefined` for others */
function ownDecoder(name: string): StreamDecoder | undefined {
  if (name === 'hz-gb-2312') return shiftedDecoder('gb18030', hzBytes())
  if (name === 'iso-2022-kr') return shiftedDecoder('euc-kr', koreanBytes())
  return name === 'johab' ? johabDecoder() : undefined
}

/** A decoder for a seven-bit encoding whose bytes become those of an eight-bit encoding. */
function shiftedDecoder(table: string, bytesOf: (byte: number) => readonly number[]): StreamDecoder {
  const decoder = new TextDecoder(table)
  return {
    write: (bytes) => decoder.decode(Uint8Array.from([...bytes].flatMap(bytesOf)), { stream: true }),
    end: () => decoder.decode(),
  }
}

/** Sets the high bit of the pairs between `~{` and `~}`. The end of a line also ends the pairs. */
function hzBytes(): (byte: number) => readonly number[] {
  let isShifted = false
  /** The first byte of a pair or a sequence. */
  let first: number | undefined
  return (byte) => {
    if (byte === LINE_FEED) isShifted = false
    const lead = first
    first = lead === undefined && (byte === TILDE || (isShifted && isPrintable(byte))) ? byte : undefined
    if (lead === undefined) return first === undefined ? [byte] : []
    if (lead !== TILDE) return isPrintable(byte) ? [lead | 0x80, byte | 0x80] : [lead, byte]
    if (byte === OPENING_BRACE || byte === CLOSING_BRACE) isShifted = byte === OPENING_BRACE
    else return byte === TILDE ? [TILDE] : byte === LINE_FEED ? [] : [TILDE, byte]
    return []
  }
}

/** Sets the high bit of the bytes between SO and SI. The end of a line also ends them. */
function koreanBytes(): (byte: number) => readonly number[] {
  let isShifted = false
  /** The number of bytes of the designation that were read. */
  let matched = 0
  return (byte) => {
    if (byte === DESIGNATION[matched]) {
      matched = (matched + 1) % DESIGNATION.length
      return []
    }
    const unmatched = DESIGNATION.slice(0, matched)
    matched = 0
    if (byte === LINE_FEED) isShifted = false
    if (byte === SHIFT_OUT || byte === SHIFT_IN) isShifted = byte === SHIFT_OUT
    else unmatched.push(isShifted && isPrintable(byte) ? byte | 0x80 : byte)
    return unmatched
  }
}

function isPrintable(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f
}

/** Johab is the encoding of Korean under DOS (KS X 1001, annex 3). */
function johabDecoder(): StreamDecoder {
  let lead: number | undefined
  return {
    write: (bytes) => {
      let text = ''
      for (const byte of bytes) {
        if (lead === undefined && byte < 0x80) text += String.fromCharCode(byte)
        else if (lead === undefined) lead = byte
        else {
          text += decodePair(lead, byte)
          lead = undefined
        }
      }
      return text
    },
    end: () => (lead === undefined ? '' : '\uFFFD'),
  }
}

function decodePair(lead: number, trail: number): string {
  if (lead >= 0x84 && lead <= 0xd3) return decodeHangul((lead << 8) | trail)
  const isSign = (lead >= 0xd9 && lead <= 0xde) || (lead >= 0xe0 && lead <= 0xf9)
  const isTrail = (trail >= 0x31 && trail <= 0x7e) || (trail >= 0x91 && trail <= 0xfe)
  if (!isSign || !isTrail) return '\uFFFD'
  // Signs and Chinese characters have the order of KS X 1001. One row here has two rows of that table.
  const row = lead < 0xe0 ? 2 * (lead - 0xd9) : 2 * lead - 0x197
  const cell = trail < 0x91 ? trail - 0x31 : trail - 0x43
  const second = cell >= 0x5e
  return ksX1001.decode(Uint8Array.of(0xa1 + row + (second ? 1 : 0), 0xa1 + (second ? cell - 0x5e : cell)))
}

function decodeHangul(code: number): string {
  const [firstCode, vowelCode, lastCode] = [(code >> 10) & 31, (code >> 5) & 31, code & 31]
  const [first, vowel, last] = [FIRST[firstCode] ?? -1, VOWEL[vowelCode] ?? -1, LAST[lastCode] ?? -1]
  if (first >= 0 && vowel >= 0 && last >= 0)
    return String.fromCharCode(HANGUL_SYLLABLES + (first * 21 + vowel) * 28 + last)
  // A letter alone has two empty positions.
  const isEmpty = [firstCode === NO_FIRST, vowelCode === NO_VOWEL, lastCode === NO_LAST]
  if (first >= 0 && isEmpty[1] && isEmpty[2]) return COMPATIBILITY_CONSONANTS.charAt(first)
  if (isEmpty[0] && vowel >= 0 && isEmpty[2]) return String.fromCharCode(COMPATIBILITY_VOWELS + vowel)
  if (isEmpty[0] && isEmpty[1] && last > 0) return COMPATIBILITY_FINALS.charAt(last)
  return '\uFFFD'
}

/** Numbers the codes of all ranges consecutively. */
function indexes(...ranges: readonly (readonly [from: number, to: number])[]): readonly number[] {
  const table = new Array<number>(32).fill(-1)
  let index = 0
  for (const [from, to] of ranges) for (let code = from; code <= to; code += 1) table[code] = index++
  return table
}
