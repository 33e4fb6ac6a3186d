import type { StreamDecoder } from './stream-decoder.js'

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

/**
 * A decoder for Johab, the encoding of Korean under DOS (KS X 1001, annex 3). No library decodes it.
 * @returns `undefined` for other encodings
 */
export function johabDecoder(name: string): StreamDecoder | undefined {
  if (name !== 'johab') return undefined
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
  const [isFirstEmpty, isVowelEmpty, isLastEmpty] = [
    firstCode === NO_FIRST,
    vowelCode === NO_VOWEL,
    lastCode === NO_LAST,
  ]
  if (first >= 0 && isVowelEmpty && isLastEmpty) return COMPATIBILITY_CONSONANTS.charAt(first)
  if (isFirstEmpty && vowel >= 0 && isLastEmpty) return String.fromCharCode(COMPATIBILITY_VOWELS + vowel)
  if (isFirstEmpty && isVowelEmpty && last > 0) return COMPATIBILITY_FINALS.charAt(last)
  return '\uFFFD'
}

/** Numbers the codes of all ranges consecutively. */
function indexes(...ranges: readonly (readonly [from: number, to: number])[]): readonly number[] {
  const table = new Array<number>(32).fill(-1)
  let index = 0
  for (const [from, to] of ranges) for (let code = from; code <= to; code += 1) table[code] = index++
  return table
}
