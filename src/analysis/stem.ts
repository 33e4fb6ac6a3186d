import { JOINED, PART, type TermKind, WORD } from './term.js'

const ASCII_LETTERS = /^[a-z]+$/
/** Longer strings may be views of the text that they were cut from: to keep one would keep that. */
const LONGEST_REMEMBERED = 12
const MOST_REMEMBERED = 20000

const stems = new Map<string, string>()

/** The stem of a word of ASCII letters, or of such words joined, "on-line"; any other term as it is. Words of other languages lose little: an s, an e. */
export function stemmed(term: string, kind: TermKind): string {
  if (kind !== WORD && kind !== PART && kind !== JOINED) return term
  // Numbers are many, and each is another one.
  if (!isLowerLetter(term.charCodeAt(0))) return term
  if (term.length > LONGEST_REMEMBERED) return ASCII_LETTERS.test(term) ? englishStem(term) : term
  const known = stems.get(term)
  if (known !== undefined) return known
  if (stems.size === MOST_REMEMBERED) stems.clear()
  const stem = ASCII_LETTERS.test(term) ? englishStem(term) : term
  stems.set(term, stem)
  return stem
}

function isLowerLetter(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a
}

/** Words that the rules would stem wrongly, with their stems. */
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
/** Words that end with step 1a. */
const FINISHED = /^(?:inning|outing|canning|herring|earring|evening|proceed|exceed|succeed)$/
/** The region after the first consonant that follows a vowel, and the same within that: R1 and R2. */
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

/** The stem of an English word of lower-case ASCII letters: Porter2, as of https://snowballstem.org/algorithms/english. */
function englishStem(word: string): string {
  if (word.length <= 2) return word
  const exception = Object.hasOwn(EXCEPTIONS, word) ? EXCEPTIONS[word] : undefined
  if (exception !== undefined) return exception
  let stem = word.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y')
  const r1 = firstRegion(stem)
  const r2 = regionAfter(stem, r1)
  stem = withoutPlural(stem)
  if (FINISHED.test(stem)) return stem
  stem = withoutPast(stem, r1)
  stem = stem.replace(/(.[^aeiouy])[yY]$/, '$1i')
  stem = replaceSuffix(stem, STEP_2, r1, STEP_2_RESULT)
  stem = replaceSuffix(stem, STEP_3, r1, STEP_3_RESULT, r2)
  stem = withoutLastSuffix(stem, r2)
  return withoutFinal(stem, r1, r2).replaceAll('Y', 'y')
}

function firstRegion(word: string): number {
  return SPECIAL_REGION.exec(word)?.[0].length ?? regionAfter(word, 0)
}

function regionAfter(word: string, from: number): number {
  REGION.lastIndex = from
  return REGION.test(word) ? REGION.lastIndex : word.length
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (/(?:ied|ies)$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1)
  if (/(?:us|ss)$/.test(word) || !word.endsWith('s')) return word
  return VOWEL.test(word.slice(0, -2)) ? word.slice(0, -1) : word
}

function withoutPast(word: string, r1: number): string {
  const due = /eed(?:ly)?$/.exec(word)
  if (due !== null) return due.index >= r1 ? word.slice(0, due.index + 2) : word
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

function withoutLastSuffix(word: string, r2: number): string {
  const found = STEP_4.exec(word)
  if (found === null || found.index < r2) return word
  const rest = word.slice(0, found.index)
  return found[0] === 'ion' && !/[st]$/.test(rest) ? word : rest
}

function withoutFinal(word: string, r1: number, r2: number): string {
  const rest = word.slice(0, -1)
  if (word.endsWith('e')) {
    return rest.length >= r2 || (rest.length >= r1 && !SHORT_SYLLABLE.test(rest)) ? rest : word
  }
  return word.endsWith('ll') && rest.length >= r2 ? rest : word
}
