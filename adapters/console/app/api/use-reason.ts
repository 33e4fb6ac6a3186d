import { nameOfLanguage } from '../texts/language-names.js'
import { type Language, phraseOf, useLanguage, useTexts } from '../texts/phrases.js'
import { REASON_TEXTS, type Reason, type ReasonText } from './reason-texts.js'
import { sentence } from './sentence.js'

/** Fills in the parameters. A parameter in brackets of its own, such as `({system})`, may be missing. */
export function reasonText(text: ReasonText, parameters: Reason['parameters']): string {
  const given = typeof text === 'string' ? text : text[parameters['count'] === 1 ? 0 : 1]
  return given
    .replaceAll(/ \(\{(\w+)\}\)/g, (group, name: string) => (parameters[name] === undefined ? '' : group))
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name] ?? ''))
}

/** The parameters with the name of a language in the place of its code. */
export function withNames(parameters: Reason['parameters'], language: Language): Reason['parameters'] {
  const { language: code } = parameters
  return typeof code === 'string' ? { ...parameters, language: nameOfLanguage(code, language) } : parameters
}

/** A function that says a reason in the language of the user; undefined for a code that it does not know. */
export function useKnownReason(): (reason: Reason | null | undefined) => string | undefined {
  const texts: Readonly<Record<string, ReasonText>> = useTexts(REASON_TEXTS)
  const { language } = useLanguage()
  return (reason) => {
    const text = reason == null ? undefined : phraseOf(texts, reason.code)
    return reason == null || text === undefined ? undefined : reasonText(text, withNames(reason.parameters, language))
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
