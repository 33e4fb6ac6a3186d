import { useLanguage } from '../../texts/phrases.js'

/** A function that says a time with its seconds: events come many in a minute. */
export function useExactTime(): (iso: string) => string {
  const { language } = useLanguage()
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' })
  return (iso) => format.format(new Date(iso))
}
