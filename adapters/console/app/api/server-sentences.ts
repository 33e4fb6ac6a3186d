import { useLanguage } from '../texts/phrases.js'
import { sentence } from './error-texts.js'
import { type GermanSentences, inGerman } from './german-sentences.js'

/**
 * A function that says a sentence of the server in the language of the user.
 *
 * @returns a sentence that no pattern matches as it is, with `lang`
 */
export function useServerSentence(
  german: GermanSentences,
): (english: string) => { readonly text: string; readonly lang?: 'en' } {
  const { language } = useLanguage()
  return (english) => {
    if (language === 'en') return { text: sentence(english) }
    const text = inGerman(german, english)
    return text === undefined ? { text: sentence(english), lang: 'en' } : { text }
  }
}
