import { questionTerms, questionWords, termsOf } from './analyzer.js'

/** A term that a prompt may mean although it writes it in another way. */
export interface OtherSpelling {
  readonly term: string
  readonly weight: number
  /** The terms of the prompt that it stands for. */
  readonly insteadOf: readonly string[]
  /** Terms that count with it. */
  readonly beside: readonly string[]
  /** True for a word, which may be inflected in the documents. */
  readonly isWord: boolean
}

/** Words that begin others with another meaning: "over time" is no overtime. */
const PREFIXES: ReadonlySet<string> = new Set(
  'over under out up off per pre non ein eine un zu ab an auf aus bei vor mit um uber unter nach vom im con en de'.split(
    ' ',
  ),
)
/** Most words of a prompt that are tried together. */
const MAX_PAIRS = 64
/** Shortest word that two halves of a prompt may be, in UTF-16 units. */
const MIN_JOINED = 5
/** Two words of letters with one space between. The second one may be the first one of the next pair. */
const PAIR = /(?<![\p{L}\p{M}\p{N}])([\p{L}\p{M}]{2,}) (?=([\p{L}\p{M}]{2,})(?![\p{L}\p{M}\p{N}]))/gu

/**
 * Finds other spellings of what a prompt says: "blackboard" for "black board", and each usual form of a date. They count
 * where the documents have them: a search asks for the terms that begin with theirs.
 */
export function otherSpellings(prompt: string): OtherSpelling[] {
  return [...joinedWords(prompt), ...datesIn(prompt).flatMap(dateSpellings)]
}

function joinedWords(prompt: string): OtherSpelling[] {
  const ofQuestions = questionWords(prompt)
  const spellings: OtherSpelling[] = []
  for (const [, one = '', other = ''] of prompt.matchAll(PAIR)) {
    if (spellings.length >= MAX_PAIRS) break
    const [term, ...more] = termsOf((one + other).toLowerCase())
    const insteadOf = [...termsOf(one), ...termsOf(other)]
    // Scripts without spaces have pairs of characters as terms.
    if (term === undefined || more.length > 0 || term.length < MIN_JOINED || insteadOf.length !== 2) continue
    if (insteadOf.some((each) => ofQuestions.has(each) || PREFIXES.has(each))) continue
    spellings.push({ term, weight: 1, insteadOf, beside: [], isWord: true })
  }
  return spellings
}

interface CalendarDate {
  readonly year: number
  readonly month: number
  readonly day: number
  /** The term of a date that a prompt writes in numbers alone; otherwise undefined. */
  readonly numeric: string | undefined
}

const [NO_WORD_BEFORE, NO_WORD_BEHIND] = [String.raw`(?<![\p{L}\p{N}][-/.]?)`, String.raw`(?![-/.]?[\p{L}\p{N}])`]
const YEAR_FIRST = new RegExp(String.raw`${NO_WORD_BEFORE}(\d{4})([-/.])(\d{1,2})\2(\d{1,2})${NO_WORD_BEHIND}`, 'gu')
const YEAR_LAST = new RegExp(String.raw`${NO_WORD_BEFORE}(\d{1,2})([-/.])(\d{1,2})\2(\d{4})${NO_WORD_BEHIND}`, 'gu')
const DAY_MONTH =
  /(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|[.º])?\s{1,3}(?:of |de )?(\p{L}{3,20})[.,]?\s{1,3}(?:de |del )?(\d{4})(?!\d)/gu
const MONTH_DAY = /(?<!\p{L})(\p{L}{3,20})\.?\s{1,3}(\d{1,2})(?:st|nd|rd|th)?,?\s{1,3}(\d{4})(?!\d)/gu

/**
 * @returns the days that a prompt names with their year; two for one whose day and month may be either number. With full
 *   stops the day is the first one
 */
function datesIn(prompt: string): CalendarDate[] {
  const dates: (CalendarDate | undefined)[] = []
  for (const [text, year, , month, day] of prompt.matchAll(YEAR_FIRST)) {
    dates.push(toDate(year, Number(month), day, text))
  }
  for (const [text, one, separator, other, year] of prompt.matchAll(YEAR_LAST)) {
    dates.push(toDate(year, Number(other), one, text))
    if (separator !== '.') dates.push(toDate(year, Number(one), other, text))
  }
  for (const [, day, month = '', year] of prompt.matchAll(DAY_MONTH)) dates.push(toDate(year, monthOf(month), day))
  for (const [, month = '', day, year] of prompt.matchAll(MONTH_DAY)) dates.push(toDate(year, monthOf(month), day))
  const valid = dates.filter((date) => date !== undefined)
  return [...new Map(valid.map((date) => [Object.values(date).join(' '), date])).values()].slice(0, MAX_DATES)
}

const MAX_DATES = 8
const MONTHS = 12

/** @param numeric the date as the prompt writes it, if it is of numbers alone */
function toDate(year: string | undefined, month: number = 0, day?: string, numeric?: string): CalendarDate | undefined {
  const date = { year: Number(year), month, day: Number(day), numeric: numeric && wholeTermOf(numeric) }
  const lastDay = new Date(Date.UTC(date.year, month, 0)).getUTCDate()
  return month >= 1 && month <= MONTHS && date.day >= 1 && date.day <= lastDay ? date : undefined
}

/** @returns the term of all of an identifier */
function wholeTermOf(identifier: string): string {
  return [...questionTerms(identifier)].sort(([, one], [, other]) => other - one)[0]?.[0] ?? ''
}

/** The weight of a date in numbers, as that of other identifiers; and of one that may also be another day. */
const [DATE_WEIGHT, UNSURE_WEIGHT] = [4, 2]
function dateSpellings({ year, month, day, numeric }: CalendarDate): OtherSpelling[] {
  const [mm, dd] = [month, day].map((value) => String(value).padStart(2, '0'))
  const yyyy = String(year).padStart(4, '0')
  const written = [`${yyyy}-${mm}-${dd}`, `${yyyy}/${mm}/${dd}`, `${yyyy}.${mm}.${dd}`]
  written.push(`${dd}.${mm}.${yyyy}`, `${day}.${month}.${yyyy}`)
  for (const separator of ['/', '-']) {
    for (const [one, other] of [
      [dd, mm],
      [day, month],
      [mm, dd],
      [month, day],
    ]) {
      written.push([one, other, yyyy].join(separator))
    }
  }
  const numbers = new Set(written.map(wholeTermOf))
  const isUnsure = (term: string): boolean => day <= MONTHS && day !== month && /^\d{1,2}[-/]/.test(term)
  const names = [...monthNames()].filter(([, number]) => number === month).map(([term]) => term)
  const insteadOf = numeric === undefined ? [] : [numeric]
  const beside = numeric === undefined ? [] : [String(day), yyyy]
  return [
    ...[...numbers].map((term) => {
      return { term, weight: isUnsure(term) ? UNSURE_WEIGHT : DATE_WEIGHT, insteadOf, beside: [], isWord: false }
    }),
    ...names.map((term) => ({ term, weight: 1, insteadOf, beside, isWord: false })),
  ]
}

/** The languages whose names of months are known. */
const LOCALES = 'en de fr es it pt nl sv da nb fi pl cs ru uk tr id'.split(' ')

/** Made at the first prompt with a date. */
let numbersByName: ReadonlyMap<string, number> | undefined

/** @returns the names of the months, as terms, with their numbers: as they stand beside a day, and the short English ones */
function monthNames(): ReadonlyMap<string, number> {
  if (numbersByName !== undefined) return numbersByName
  const names = new Map<string, number>()
  for (const [locale, month] of [...LOCALES.map((each) => [each, 'long'] as const), ['en', 'short'] as const]) {
    const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month, timeZone: 'UTC' })
    for (let number = 1; number <= MONTHS; number += 1) {
      const parts = format.formatToParts(new Date(Date.UTC(2_024, number - 1, 12)))
      const [term] = termsOf(parts.find(({ type }) => type === 'month')?.value ?? '')
      if (term !== undefined && !names.has(term)) names.set(term, number)
    }
  }
  numbersByName = names
  return names
}

function monthOf(name: string): number | undefined {
  const [term] = termsOf(name)
  return term === undefined ? undefined : monthNames().get(term)
}
