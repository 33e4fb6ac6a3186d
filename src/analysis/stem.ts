import { JOINED, PART, type TermKind, WORD } from './term.js'

const ASCII_LETTERS = /^[a-z]+$/
/** Maximum length of a cached word. A longer string may be a view of its text, so a cache entry would keep the text. */
const MAX_CACHED_LENGTH = 12
const MAX_CACHED_STEMS = 20000

const stems = new Map<string, string>()

/**
 * Reduces a term to its English stem. Words of other languages lose little: an s, an e.
 *
 * @returns the stem of a word of ASCII letters, or of joined words such as "on-line"; every other term unchanged
 */
export function stem(term: string, kind: TermKind): string {
  if (kind !== WORD && kind !== PART && kind !== JOINED) return term
  // Numbers do not go into the cache: there are many different ones.
  if (!isLowerLetter(term.charCodeAt(0))) return term
  if (term.length > MAX_CACHED_LENGTH) return stemAscii(term)
  const cached = stems.get(term)
  if (cached !== undefined) return cached
  if (stems.size === MAX_CACHED_STEMS) stems.clear()
  const computed = stemAscii(term)
  stems.set(term, computed)
  return computed
}

function isLowerLetter(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a
}

/** Stems of words for which the rules give a wrong stem. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  skis: 'ski',
  skies: 'sky',
  idly: 'idl',
  gently: 'gentl',
  ugly: 'ugli',
  early: 'earli',
  only: 'onli',
  singly: 'singl',
  sky: 'sky',
  news: 'news',
  howe: 'howe',
  atlas: 'atlas',
  cosmos: 'cosmos',
  bias: 'bias',
  andes: 'andes',
}
/** Words that change in step 1a only. */
const FINISHED = /^(?:inning|outing|canning|herring|earring|evening|proceed|exceed|succeed)$/
/** A vowel and the consonant after it: region R1 begins behind the first match, R2 behind the first match within R1. */
const REGION = /[aeiouy][^aeiouy]/g
const SPECIAL_REGION = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/
const VOWEL = /[aeiouy]/
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/
const SHORT_SYLLABLE = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy]|^past)$/

const STEP_2 =
  /(?:ization|ational|fulness|ousness|iveness|tional|biliti|lessli|entli|ation|alism|aliti|ousli|iviti|fulli|enci|anci|abli|izer|ator|alli|ogist|bli|ogi|li)$/
const STEP_2_RESULT: Readonly<Record<string, string>> = {
  ization: 'ize',
  ational: 'ate',
  fulness: 'ful',
  ousness: 'ous',
  iveness: 'ive',
  tional: 'tion',
  biliti: 'ble',
  lessli: 'less',
  entli: 'ent',
  ation: 'ate',
  alism: 'al',
  aliti: 'al',
  ousli: 'ous',
  iviti: 'ive',
  fulli: 'ful',
  enci: 'ence',
  anci: 'ance',
  abli: 'able',
  izer: 'ize',
  ator: 'ate',
  alli: 'al',
  ogist: 'og',
  bli: 'ble',
  ogi: 'og',
  li: '',
}
const STEP_3 = /(?:ational|tional|alize|icate|iciti|ative|ical|ness|ful)$/
const STEP_3_RESULT: Readonly<Record<string, string>> = {
  ational: 'ate',
  tional: 'tion',
  alize: 'al',
  icate: 'ic',
  iciti: 'ic',
  ative: '',
  ical: 'ic',
  ness: '',
  ful: '',
}
const STEP_4 = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|ion|al|er|ic)$/

function stemAscii(term: string): string {
  return ASCII_LETTERS.test(term) ? stemEnglish(term) : term
}

/** Stems an English word of lower-case ASCII letters by Porter2: https://snowballstem.org/algorithms/english */
function stemEnglish(word: string): string {
  if (word.length <= 2) return word
  const exception = Object.hasOwn(EXCEPTIONS, word) ? EXCEPTIONS[word] : undefined
  if (exception !== undefined) return exception
  let result = word.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y')
  const r1 = findR1(result)
  const r2 = findRegionAfter(result, r1)
  result = removePlural(result)
  if (FINISHED.test(result)) return result
  result = removePast(result, r1)
  result = result.replace(/(.[^aeiouy])[yY]$/, '$1i')
  result = replaceSuffix(result, STEP_2, r1, STEP_2_RESULT)
  result = replaceSuffix(result, STEP_3, r1, STEP_3_RESULT, r2)
  result = removeLastSuffix(result, r2)
  return removeFinalLetter(result, r1, r2).replaceAll('Y', 'y')
}

function findR1(word: string): number {
  return SPECIAL_REGION.exec(word)?.[0].length ?? findRegionAfter(word, 0)
}

function findRegionAfter(word: string, from: number): number {
  REGION.lastIndex = from
  return REGION.test(word) ? REGION.lastIndex : word.length
}

function removePlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (/(?:ied|ies)$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1)
  if (/(?:us|ss)$/.test(word) || !word.endsWith('s')) return word
  return VOWEL.test(word.slice(0, -2)) ? word.slice(0, -1) : word
}

function removePast(word: string, r1: number): string {
  const eed = /eed(?:ly)?$/.exec(word)
  if (eed !== null) return eed.index >= r1 ? word.slice(0, eed.index + 2) : word
  const suffix = /(?:ed|edly|ing|ingly)$/.exec(word)
  if (suffix === null) return word
  const rest = word.slice(0, suffix.index)
  if (!VOWEL.test(rest)) return word
  if (word.endsWith('ing') && /^[^aeiouy]y$/.test(rest)) return `${rest.slice(0, -1)}ie`
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`
  if (DOUBLE.test(rest)) return /^[aeo]..$/.test(rest) ? rest : rest.slice(0, -1)
  return rest.length <= r1 && SHORT_SYLLABLE.test(rest) ? `${rest}e` : rest
}

function replaceSuffix(
  word: string,
  suffixes: RegExp,
  region: number,
  results: Readonly<Record<string, string>>,
  innerRegion = 0,
): string {
  const found = suffixes.exec(word)
  if (found === null || found.index < region) return word
  const rest = word.slice(0, found.index)
  const [suffix] = found
  if (suffix === 'ogi' && !rest.endsWith('l')) return word
  if (suffix === 'li' && !/[cdeghkmnrt]$/.test(rest)) return word
  if (suffix === 'ative' && found.index < innerRegion) return word
  return rest + (results[suffix] ?? '')
}

function removeLastSuffix(word: string, r2: number): string {
  const found = STEP_4.exec(word)
  if (found === null || found.index < r2) return word
  const rest = word.slice(0, found.index)
  return found[0] === 'ion' && !/[st]$/.test(rest) ? word : rest
}

function removeFinalLetter(word: string, r1: number, r2: number): string {
  const rest = word.slice(0, -1)
  if (word.endsWith('e')) {
    return rest.length >= r2 || (rest.length >= r1 && !SHORT_SYLLABLE.test(rest)) ? rest : word
  }
  return word.endsWith('ll') && rest.length >= r2 ? rest : word
}
