import type { Language } from './phrases.js'

/** @param code such as `fi` @returns its name in the language of the page, such as "Finnisch" */
export function nameOfLanguage(code: string, language: Language): string {
  return new Intl.DisplayNames(language, { type: 'language' }).of(code) ?? code
}
