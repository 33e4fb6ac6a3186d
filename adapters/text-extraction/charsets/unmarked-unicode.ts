/** Below this many units nothing can be told. */
const LEAST_UNITS = 4
/** Of the bytes of UTF-16, at least so many are such as stand in no other text. */
const LEAST_CONTROLS = 0.008
/** Of the characters of a text, at most so many may be such as stand in none. */
const MOST_UNSOUND = 0.02

/** Zeros stand in some texts of bytes, too. In UTF-16 that is valid UTF-8 at least so many of the high bytes name an alphabet. */
const LEAST_ALPHABETIC = 0.5
/** High bytes of alphabets are below this, those of Chinese and Japanese above. */
const END_OF_ALPHABETS = 0x20

/**
 * UTF-16 or UTF-32 without a byte-order mark, by the beginning of a text; undefined where it is neither.
 * @param isUtf8 whether it is valid UTF-8, so that zeros are all that speaks against that
 */
export function unmarkedUnicode(head: Uint8Array, isUtf8: boolean): string | undefined {
  return unmarkedUtf32(head) ?? unmarkedUtf16(head, isUtf8)
}

/** Every fourth byte is zero, and the one beside it nearly so: there are 17 planes. */
function unmarkedUtf32(head: Uint8Array): string | undefined {
  const units = Math.floor(head.length / 4)
  if (units < LEAST_UNITS) return undefined
  const isAll = (high: number, plane: number): boolean => {
    for (let at = 0; at < units * 4; at += 4) {
      if (head[at + high] !== 0 || (head[at + plane] ?? 0) > 0x10) return false
    }
    return true
  }
  if (isAll(0, 1)) return 'utf-32be'
  return isAll(3, 2) ? 'utf-32le' : undefined
}

/**
 * The high bytes of a text in UTF-16 are few different ones, for they name its scripts;
 * the low ones are many, zeros and control characters among them.
 */
function unmarkedUtf16(head: Uint8Array, isUtf8: boolean): string | undefined {
  const units = Math.floor(head.length / 2)
  if (units < LEAST_UNITS || shareOfControls(head) < LEAST_CONTROLS) return undefined
  const even = entropy(head, 0)
  const odd = entropy(head, 1)
  if (Math.abs(even - odd) < 0.3) return undefined
  const name = even < odd ? 'utf-16be' : 'utf-16le'
  const alphabetic = head.filter((byte, at) => at % 2 === (even < odd ? 0 : 1) && byte < END_OF_ALPHABETS).length
  if (isUtf8 && alphabetic < units * LEAST_ALPHABETIC) return undefined
  const text = new TextDecoder(name).decode(head.subarray(0, units * 2))
  return shareOfUnsound(text) <= MOST_UNSOUND ? name : undefined
}

/** Those apart that ISO-2022 shifts with. */
function shareOfControls(bytes: Uint8Array): number {
  let controls = 0
  for (const byte of bytes) if (byte < 0x09 || (byte > 0x0f && byte < 0x20 && byte !== 0x1b)) controls += 1
  return controls / bytes.length
}

/** Of every other byte, in bits. */
function entropy(bytes: Uint8Array, from: 0 | 1): number {
  const counts = new Uint32Array(256)
  const total = Math.floor(bytes.length / 2)
  for (let at = from; at < total * 2; at += 2) counts[bytes[at] ?? 0] = (counts[bytes[at] ?? 0] ?? 0) + 1
  let bits = 0
  for (const count of counts) if (count > 0) bits -= (count / total) * Math.log2(count / total)
  return bits
}

/** Controls, private use, unassigned, and halves of characters; the last one may be cut. */
function shareOfUnsound(text: string): number {
  const characters = Array.from(text.slice(0, -1))
  const unsound = characters.filter((character) => /[\p{Cn}\p{Co}\p{Cs}\uFFFD]|(?![\t\n\f\r\0])\p{Cc}/u.test(character))
  return unsound.length / Math.max(1, characters.length)
}
