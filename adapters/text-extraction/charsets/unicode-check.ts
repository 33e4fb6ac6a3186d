import { isAscii } from 'node:buffer'

/** With fewer units, the encoding cannot be found. */
const MIN_UNITS = 4
/** In UTF-16 at least this share of the bytes are control characters, which other texts do not have. */
const MIN_CONTROLS = 0.008
/** The bits by which the high bytes of UTF-16 vary less than the low bytes. */
const MIN_DIFFERENCE = 0.3
/** At most this share of the characters of a text may be invalid ones. */
const MAX_INVALID = 0.02
/** Chinese, Japanese and Korean text with its punctuation, and ASCII. Bytes of other encodings look like Han, too. */
const EAST_ASIAN =
  /^[\p{Script=Han}\p{Script=Hangul}\u3000-\u30FF\uFF00-\uFFEF\u00B7\u2014\u2018-\u201D\u2026\t\n\r -~]+$/u
/** Punctuation whose bytes no common text in another encoding has. */
const EAST_ASIAN_MARK = /[\u3001\u3002\uFF01\uFF0C\uFF1F]/
const INVALID = /[\p{Cn}\p{Co}\p{Cs}\uFFFD]|(?![\t\n\f\r\0])\p{Cc}/gu

/** Checks by all bytes of a text if it is UTF-8, or damaged UTF-8. */
export class UnicodeCheck {
  readonly #strict = new TextDecoder('utf-8', { fatal: true })
  readonly #lenient = new TextDecoder('utf-8')
  #validCharacters = 0
  #invalidCharacters = 0
  /** True if no byte was invalid so far. A character that is cut at the end does not count as invalid. */
  isUtf8 = true
  isAscii = true

  /**
   * True if valid characters of more than one byte outnumber the invalid bytes. Other encodings have such characters
   * only by accident.
   */
  get isLikelyUtf8(): boolean {
    return this.#validCharacters >= 2 && this.#validCharacters >= this.#invalidCharacters * 2
  }

  add(block: Uint8Array): void {
    this.isAscii &&= isAscii(block)
    if (this.isAscii) return
    if (this.isUtf8) {
      try {
        this.#validCharacters += nonAsciiCount(this.#strict.decode(block, { stream: true }))
        return
      } catch {
        this.isUtf8 = false
      }
    }
    const text = this.#lenient.decode(block, { stream: true })
    const invalid = text.split('\uFFFD').length - 1
    this.#invalidCharacters += invalid
    this.#validCharacters += nonAsciiCount(text) - invalid
  }

  /** A text whose only character outside ASCII is cut at its end is not UTF-8. */
  end(): void {
    if (this.isUtf8 && !this.isAscii && this.#validCharacters === 0) this.isUtf8 = false
  }
}

/** The number of UTF-16 units outside ASCII. */
export function nonAsciiCount(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) >= 0x80) count += 1
  return count
}

/** The encoding that a byte-order mark names. UTF-32 comes first: its little-endian mark begins with that of UTF-16. */
export function markedUnicode(head: Uint8Array): string | undefined {
  const mark = Buffer.from(head.subarray(0, 4)).toString('hex')
  if (mark === 'fffe0000') return 'utf-32le'
  if (mark === '0000feff') return 'utf-32be'
  if (mark.startsWith('fffe')) return 'utf-16le'
  if (mark.startsWith('feff')) return 'utf-16be'
  return mark.startsWith('efbbbf') ? 'utf-8' : undefined
}

/**
 * Detects UTF-16 or UTF-32 without a byte-order mark by the beginning of a text. `jschardet` misses one such text in a
 * hundred, because it expects more zeros.
 *
 * @param isUtf8 true if the text is valid UTF-8. Then only its zeros suggest another encoding
 * @returns `undefined` if the text is in another encoding
 */
export function unmarkedUnicode(head: Uint8Array, isUtf8: boolean): string | undefined {
  if (head.length < MIN_UNITS * 2) return undefined
  return unmarkedUtf32(head) ?? unmarkedUtf16(head, isUtf8)
}

/** In UTF-32 every fourth byte is zero, and the byte beside it is at most 16, because Unicode has 17 planes. */
function unmarkedUtf32(head: Uint8Array): string | undefined {
  if (head.length < MIN_UNITS * 4) return undefined
  const bytes = everyNth(head, 4)
  const isHigh = (high: number, plane: number): boolean =>
    bytes[high]?.every((byte) => byte === 0) === true && bytes[plane]?.every((byte) => byte <= 0x10) === true
  return isHigh(0, 1) ? 'utf-32be' : isHigh(3, 2) ? 'utf-32le' : undefined
}

/**
 * In UTF-16 a text has few different high bytes, because they stand for its scripts. It has many different low bytes,
 * zeros and control characters among them.
 */
function unmarkedUtf16(head: Uint8Array, isUtf8: boolean): string | undefined {
  // The shift characters of ISO-2022 do not count.
  const controls = head.filter((byte) => byte < 0x09 || (byte > 0x0f && byte < 0x20 && byte !== 0x1b)).length
  if (controls < head.length * MIN_CONTROLS) return undefined
  const [even = head, odd = head] = everyNth(head, 2)
  const difference = entropy(even) - entropy(odd)
  if (Math.abs(difference) < MIN_DIFFERENCE) return isUtf8 ? undefined : eastAsianUtf16(head)
  const [name, high] = difference < 0 ? ['utf-16be', even] : ['utf-16le', odd]
  // A text in one byte a character may have zeros too. In UTF-16 that is valid UTF-8, most high bytes are of alphabets.
  if (isUtf8 && high.filter((byte) => byte < 0x20).length < high.length / 2) return undefined
  const text = unitsOf(head, name)
  return (text.match(INVALID)?.length ?? 0) <= text.length * MAX_INVALID ? name : undefined
}

/** Short Chinese texts have almost as many different high bytes as low bytes, so only the characters tell the order. */
function eastAsianUtf16(head: Uint8Array): string | undefined {
  const names = ['utf-16le', 'utf-16be'].filter((name) => {
    const text = unitsOf(head, name).replace(/[\uD800-\uDBFF]$/, '')
    return EAST_ASIAN.test(text) && EAST_ASIAN_MARK.test(text)
  })
  return names.length === 1 ? names[0] : undefined
}

/** The units of a text in UTF-16 but for the last one, which may be half a character. */
function unitsOf(head: Uint8Array, name: string): string {
  return new TextDecoder(name).decode(head.subarray(0, head.length - (head.length % 2))).slice(0, -1)
}

/** The first, second, … bytes of all units of `size` bytes. An incomplete unit is left out. */
function everyNth(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  const whole = bytes.subarray(0, bytes.length - (bytes.length % size))
  return Array.from({ length: size }, (_, place) => whole.filter((_byte, index) => index % size === place))
}

/** The entropy of bytes, in bits. */
function entropy(bytes: Uint8Array): number {
  const counts = new Map<number, number>()
  for (const byte of bytes) counts.set(byte, (counts.get(byte) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / bytes.length) * Math.log2(count / bytes.length)
  return bits
}
