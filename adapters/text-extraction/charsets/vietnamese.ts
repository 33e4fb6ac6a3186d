/** Encodings of Vietnamese that the detector does not know, and the one that it takes them for. */
const NAMES = ['viscii', 'tcvn', 'windows-1258']
// cspell:disable
/** A syllable without its tone. Each word of Vietnamese is one. */
const SYLLABLE =
  /^(?:ngh|ng|nh|ch|gh|gi|kh|ph|qu|th|tr|[bcdđghklmnprstvx])?(?:iêu|yêu|oai|oao|oay|oeo|uây|uôi|ươi|ươu|uya|uyê|uyu|ai|ao|au|ay|âu|ây|eo|êu|ia|iê|iu|oa|oă|oe|oi|ôi|ơi|ua|uâ|uê|ui|uô|uơ|ưa|ưi|ươ|ưu|uy|yê|[aăâeêioôơuưy])(?:ch|ng|nh|[cmnpt])?$/
/** A syllable that ends in such a consonant has one of two tones. */
const STOPPED = /(?:ch|[cpt])$/
const TONES = /[\u0300\u0301\u0303\u0309\u0323]/g
/** Letters that only Vietnamese has. */
const OWN = /[ăđơư\u1EA0-\u1EF9]/giu
// cspell:enable
/** The least share of syllables among the words with a letter outside ASCII, and the least number of them. */
const [LEAST_SHARE, LEAST_WORDS] = [0.8, 3]
/** The least number of different letters that only Vietnamese has. The å of Norwegian is one of them in VISCII. */
const [LEAST_OWN, LEAST_OWN_OF_FEW] = [3, 2]
/** With fewer such words, the guess is not certain. */
const FEW_WORDS = 6

/**
 * Finds Vietnamese text in VISCII or TCVN by its syllables.
 *
 * @param decode decodes the text by the name of an encoding
 * @returns `undefined` for other texts, and for Vietnamese in windows-1258
 */
export function vietnameseCharset(
  decode: (name: string) => string,
): { readonly name: string; readonly isUnsure: boolean } | undefined {
  const [best] = NAMES.map((name) => ({ name, ...syllablesOf(decode(name)) })).sort(
    (first, second) => second.share - first.share,
  )
  if (best === undefined || best.name === 'windows-1258' || best.words < LEAST_WORDS) return undefined
  if (best.share < LEAST_SHARE || best.own * 5 < best.words) return undefined
  const isShort = best.words < FEW_WORDS
  if (best.kinds < (isShort ? LEAST_OWN_OF_FEW : LEAST_OWN)) return undefined
  return { name: best.name, isUnsure: isShort }
}

interface Syllables {
  /** The number of words with a letter outside ASCII. */
  readonly words: number
  /** The share of syllables among them. */
  readonly share: number
  /** The number of letters that only Vietnamese has, and that of different ones. */
  readonly own: number
  readonly kinds: number
}

function syllablesOf(text: string): Syllables {
  const composed = text.normalize('NFC').toLowerCase()
  const words = composed.split(/[\0-\x60\x7B-\x7F\s]+/u).filter((word) => /[^\0-\x7F]/.test(word))
  const syllables = words.filter((word) => isSyllable(word)).length
  const share = words.length === 0 ? 0 : syllables / words.length
  const own: readonly string[] = composed.match(OWN) ?? []
  return { words: words.length, share, own: own.length, kinds: new Set(own).size }
}

function isSyllable(word: string): boolean {
  const letters = word.normalize('NFD')
  const tones = letters.match(TONES) ?? []
  if (tones.length > 1 || (STOPPED.test(word) && !/^[\u0301\u0323]$/.test(tones[0] ?? ''))) return false
  return SYLLABLE.test(letters.replace(TONES, '').normalize('NFC'))
}
