import { APPLICATION_NAMES, ROLE_TEXTS } from '../people/people-texts.js'
import { nameOfLanguage } from '../texts/language-names.js'
import { type Language, phraseOf, useLanguage, useTexts } from '../texts/phrases.js'
import { REASON_TEXTS, type Reason, type ReasonText } from './reason-texts.js'
import { sentence } from './sentence.js'

/** Fills in the parameters. A parameter in brackets of its own, such as `({system})`, may be missing. */
export function reasonText(text: ReasonText, parameters: Reason['parameters']): string {
  const given = typeof text === 'string' ? text : text[String(parameters['count']) === '1' ? 0 : 1]
  return given
    .replaceAll(/ \(\{(\w+)\}\)/g, (group, name: string) => (parameters[name] === undefined ? '' : group))
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name] ?? ''))
}

/** The parameters that count something. Ids, ports and pages are numbers too. */
const COUNTS: ReadonlySet<string> = new Set(['count', 'held', 'max', 'min', 'seconds'])

/** The parameters as the page shows them: names in the place of codes, and counts as the language writes them. */
export function withNames(parameters: Reason['parameters'] | undefined, language: Language): Reason['parameters'] {
  // A host in JavaScript may leave them out.
  const entries = Object.entries(parameters ?? {})
  return Object.fromEntries(entries.map(([name, value]) => [name, shownValue(name, value, language)]))
}

function shownValue(name: string, value: string | number, language: Language): string | number {
  if (typeof value === 'number') {
    return COUNTS.has(name) ? new Intl.NumberFormat(language, { maximumFractionDigits: 10 }).format(value) : value
  }
  switch (name) {
    case 'language':
      return nameOfLanguage(value, language)
    case 'capability':
    case 'capabilities':
      return namesOf(value, ROLE_TEXTS[language].capabilities).join('; ')
    case 'application':
    case 'applications':
    case 'wanted':
      return namesOf(value, APPLICATION_NAMES[language]).join(', ')
    default:
      return value
  }
}

function namesOf(codes: string, names: Readonly<Record<string, string>>): readonly string[] {
  return codes.split(', ').map((code) => phraseOf(names, code) ?? code)
}

/**
 * A function that says a reason in the language of the user; undefined for a code that it does not know, and for the
 * sentence of a host, which has a language of its own.
 */
export function useKnownReason(): (reason: Reason | null | undefined) => string | undefined {
  const texts: Readonly<Record<string, ReasonText>> = useTexts(REASON_TEXTS)
  const { language } = useLanguage()
  return (reason) => {
    if (reason == null || reason.code === 'refused-by-host') return undefined
    const text = phraseOf(texts, reason.code)
    return text === undefined ? undefined : reasonText(text, withNames(reason.parameters, language))
  }
}

/** @returns a sentence, with `lang` if it is in another language than the page */
export type SayReason = (
  reason: Reason | null | undefined,
  message: string,
) => { readonly text: string; readonly lang?: 'en' }

/** A function that says a reason in the language of the user. It says the message for a code that it does not know. */
export function useReason(): SayReason {
  const say = useKnownReason()
  const { language } = useLanguage()
  return (reason, message) => {
    const text = say(reason)
    return text === undefined ? { text: sentence(message), ...(language !== 'en' && { lang: 'en' }) } : { text }
  }
}
