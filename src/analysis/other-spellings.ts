import { questionTerms, questionWords, termsOf } from './analyzer.js'

/** A term that a prompt may mean although it writes it in another way. */
export interface OtherSpelling {
  readonly term: string
  readonly weight: number
  /** The terms of the prompt that it stands for; none for one of a date, which the prompt keeps. */
  readonly insteadOf: readonly string[]
  /** True for a word, which may be inflected in the documents. */
  readonly isWord: boolean
}

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
    const [term, ...more] = termsOf(one + other)
    const insteadOf = [...termsOf(one), ...termsOf(other)]
    // Scripts without spaces have pairs of characters as terms.
    if (term === undefined || more.length > 0 || term.length < MIN_JOINED || insteadOf.length !== 2) continue
    if (insteadOf.every((each) => ofQuestions.has(each))) continue
    spellings.push({ term, weight: 1, insteadOf, isWord: true })
  }
  return spellings
}

interface CalendarDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

const YEAR_FIRST = /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g
const YEAR_LAST = /(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)/g
const DAY_MONTH =
  /(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|[.º])?\s{1,3}(?:of |de )?(\p{L}{3,20})[.,]?\s{1,3}(?:de |del )?(\d{4})(?!\d)/gu
const MONTH_DAY = /(?<!\p{L})(\p{L}{3,20})\.?\s{1,3}(\d{1,2})(?:st|nd|rd|th)?,?\s{1,3}(\d{4})(?!\d)/gu

/** @returns the days that a prompt names with their year; two for one whose day and month may be either number */
function datesIn(prompt: string): CalendarDate[] {
  const found: (readonly [year: string | undefined, month: number | undefined, day: string | undefined])[] = []
  for (const [, year, month, day] of prompt.matchAll(YEAR_FIRST)) found.push([year, Number(month), day])
  for (const [, one, other, year] of prompt.matchAll(YEAR_LAST)) {
    found.push([year, Number(other), one], [year, Number(one), other])
  }
  for (const [, day, month = '', year] of prompt.matchAll(DAY_MONTH)) found.push([year, monthOf(month), day])
  for (const [, month = '', day, year] of prompt.matchAll(MONTH_DAY)) found.push([year, monthOf(month), day])
  const dates = found.flatMap(([year, month = 0, day]) => toDate(Number(year), month, Number(day)) ?? [])
  return [...new Map(dates.map((date) => [Object.values(date).join('-'), date])).values()].slice(0, MAX_DATES)
}

const MAX_DATES = 8

function toDate(year: number, month: number, day: number): CalendarDate | undefined {
  const isValid = month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate()
  return isValid ? { year, month, day } : undefined
}

/** The weight of the name of a month beside the numbers of a date. */
const MONTH_WEIGHT = 1

function dateSpellings({ year, month, day }: CalendarDate): OtherSpelling[] {
  const [mm, dd] = [month, day].map((value) => String(value).padStart(2, '0'))
  const written = [`${year}-${mm}-${dd}`, `${year}/${mm}/${dd}`, `${year}.${mm}.${dd}`]
  for (const separator of ['.', '/', '-']) {
    for (const parts of [
      [dd, mm],
      [day, month],
      [mm, dd],
      [month, day],
    ]) {
      written.push([...parts, year].join(separator))
    }
  }
  const numbers = [...new Set(written)].flatMap((text) => {
    const [term, weight] = [...questionTerms(text)].sort(([, one], [, other]) => other - one)[0] ?? ['', 0]
    return { term, weight, insteadOf: [], isWord: false }
  })
  const names = [...monthNames()].filter(([, number]) => number === month)
  return [
    ...new Map(numbers.map((spelling) => [spelling.term, spelling])).values(),
    ...names.map(([term]) => ({ term, weight: MONTH_WEIGHT, insteadOf: [], isWord: false })),
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
    for (let number = 1; number <= 12; number += 1) {
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
