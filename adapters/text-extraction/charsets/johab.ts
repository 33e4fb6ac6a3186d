import type { StreamDecoder } from './stream-decoder.js'

/** Codes of the first consonant, the vowel and the last consonant in a syllable's 15 bits; what is in none is -1. */
const FIRST = indexes([2, 20])
const VOWEL = indexes([3, 7], [10, 15], [18, 23], [26, 29])
const LAST = indexes([1, 17], [19, 29])
/** A place that is left empty. */
const NO_FIRST = 1
const NO_VOWEL = 2
const NO_LAST = 1

const HANGUL_SYLLABLES = 0xac00
const COMPATIBILITY_VOWELS = 0x314f
const COMPATIBILITY_CONSONANTS = 'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ'
const COMPATIBILITY_FINALS = ' ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ'

const ksX1001 = new TextDecoder('euc-kr')

/** A decoder for Johab, the encoding of Korean under DOS (KS X 1001, annex 3), which no library decodes; undefined for others. */
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
          text += pair(lead, byte)
          lead = undefined
        }
      }
      return text
    },
    end: () => (lead === undefined ? '' : '\uFFFD'),
  }
}

function pair(lead: number, trail: number): string {
  if (lead >= 0x84 && lead <= 0xd3) return hangul((lead << 8) | trail)
  const isSign = (lead >= 0xd9 && lead <= 0xde) || (lead >= 0xe0 && lead <= 0xf9)
  const isTrail = (trail >= 0x31 && trail <= 0x7e) || (trail >= 0x91 && trail <= 0xfe)
  if (!isSign || !isTrail) return '\uFFFD'
  // Signs and Chinese characters lie as in KS X 1001, two of its rows to one here.
  const row = lead < 0xe0 ? 2 * (lead - 0xd9) : 2 * lead - 0x197
  const cell = trail < 0x91 ? trail - 0x31 : trail - 0x43
  const second = cell >= 0x5e
  return ksX1001.decode(Uint8Array.of(0xa1 + row + (second ? 1 : 0), 0xa1 + (second ? cell - 0x5e : cell)))
}

function hangul(code: number): string {
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

/** Codes that follow each other in each range, numbered through. */
function indexes(...ranges: readonly (readonly [from: number, to: number])[]): readonly number[] {
  const table = new Array<number>(32).fill(-1)
  let index = 0
  for (const [from, to] of ranges) for (let code = from; code <= to; code += 1) table[code] = index++
  return table
}
