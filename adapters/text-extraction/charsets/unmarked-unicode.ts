/** With fewer units, the encoding cannot be found. */
const MIN_UNITS = 4
/** In UTF-16 at least this share of the bytes are control characters, which other texts do not have. */
const MIN_CONTROLS = 0.008
/** At most this share of the characters of a text may be invalid ones. */
const MAX_INVALID = 0.02

/** Some single-byte texts contain zeros too. In UTF-16 that is valid UTF-8, this share of high bytes is alphabetic. */
const MIN_ALPHABETIC = 0.5
/** The high bytes of alphabets are below this. Those of Chinese and Japanese are above it. */
const END_OF_ALPHABETS = 0x20

/**
 * Detects UTF-16 or UTF-32 without a byte-order mark by the beginning of a text.
 * @param isUtf8 true if the text is valid UTF-8. Then only its zeros suggest another encoding
 * @returns `undefined` if the text is in another encoding
 */
export function unmarkedUnicode(head: Uint8Array, isUtf8: boolean): string | undefined {
  return unmarkedUtf32(head) ?? unmarkedUtf16(head, isUtf8)
}

/** In UTF-32 every fourth byte is zero, and the byte beside it is at most 16, because Unicode has 17 planes. */
function unmarkedUtf32(head: Uint8Array): string | undefined {
  const units = Math.floor(head.length / 4)
  if (units < MIN_UNITS) return undefined
  const areAllValid = (high: number, plane: number): boolean => {
    for (let unit = 0; unit < units * 4; unit += 4) {
      if (head[unit + high] !== 0 || (head[unit + plane] ?? 0) > 0x10) return false
    }
    return true
  }
  if (areAllValid(0, 1)) return 'utf-32be'
  return areAllValid(3, 2) ? 'utf-32le' : undefined
}

/**
 * In UTF-16 a text has few different high bytes, because they stand for its scripts. It has many different low bytes,
 * zeros and control characters among them.
 */
function unmarkedUtf16(head: Uint8Array, isUtf8: boolean): string | undefined {
  const units = Math.floor(head.length / 2)
  if (units < MIN_UNITS || shareOfControls(head) < MIN_CONTROLS) return undefined
  const even = entropy(head, 0)
  const odd = entropy(head, 1)
  if (Math.abs(even - odd) < 0.3) return undefined
  const name = even < odd ? 'utf-16be' : 'utf-16le'
  const highParity = even < odd ? 0 : 1
  const alphabetic = head.filter((byte, index) => index % 2 === highParity && byte < END_OF_ALPHABETS).length
  if (isUtf8 && alphabetic < units * MIN_ALPHABETIC) return undefined
  const text = new TextDecoder(name).decode(head.subarray(0, units * 2))
  return shareOfInvalid(text) <= MAX_INVALID ? name : undefined
}

/** Does not count the shift characters of ISO-2022. */
function shareOfControls(bytes: Uint8Array): number {
  let controls = 0
  for (const byte of bytes) if (byte < 0x09 || (byte > 0x0f && byte < 0x20 && byte !== 0x1b)) controls += 1
  return controls / bytes.length
}

/** The entropy of every second byte, in bits. */
function entropy(bytes: Uint8Array, from: 0 | 1): number {
  const counts = new Uint32Array(256)
  const total = Math.floor(bytes.length / 2)
  for (let index = from; index < total * 2; index += 2) {
    const byte = bytes[index] ?? 0
    counts[byte] = (counts[byte] ?? 0) + 1
  }
  let bits = 0
  for (const count of counts) if (count > 0) bits -= (count / total) * Math.log2(count / total)
  return bits
}

/**
 * The share of control, private-use and unassigned characters, and of surrogate halves. It ignores the last character,
 * which may be incomplete.
 */
function shareOfInvalid(text: string): number {
  const characters = Array.from(text.slice(0, -1))
  const invalid = characters.filter((character) => /[\p{Cn}\p{Co}\p{Cs}\uFFFD]|(?![\t\n\f\r\0])\p{Cc}/u.test(character))
  return invalid.length / Math.max(1, characters.length)
}
