import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { dataOf, useApi } from '../api/api.js'
import { nameOfLanguage } from '../texts/language-names.js'
import { phrases, plural, useLanguage, useTexts } from '../texts/phrases.js'
import { Note } from '../ui/notes.js'

const TEXTS = phrases({
  en: {
    documents: (name: string, count: number) => `${name} (${plural.en(count, '1 document', `${count} documents`)})`,
    found: (languages: string, model: string) =>
      `${languages}: found by words alone. The model ${model} does not know that.`,
    windows: (count: number) =>
      `Another model finds them by meaning too. It embeds all documents again: ${plural.en(count, '1 window', `${count} windows`)}. Whoever runs the server gives it to this GPT by:`,
  },
  de: {
    documents: (name, count) => `${name} (${plural.de(count, '1 Dokument', `${count} Dokumente`)})`,
    found: (languages, model) => `${languages}: wird nur über Wörter gefunden. Das Modell ${model} kennt das nicht.`,
    windows: (count) =>
      `Ein anderes Modell findet sie auch über den Sinn. Es bettet alle Dokumente neu ein: ${plural.de(count, '1 Fenster', `${count} Fenster`)}. Wer den Server betreibt, gibt es diesem GPT mit:`,
  },
})

/** Says once for a context in which languages its documents are found by words alone. Nothing if there are none. */
export function LanguageNote({ contextId }: { readonly contextId: number }): ReactElement | null {
  const api = useApi()
  const texts = useTexts(TEXTS)
  const { language: ofPage } = useLanguage()
  const { data } = useQuery({
    queryKey: ['languages', contextId],
    // The server reads the receipts of all documents for it.
    staleTime: 300_000,
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }) =>
      await dataOf(api.GET('/context/languages/{contextId}', { params: { path: { contextId } }, signal })),
  })
  const unknown = data?.languages.filter(({ isKnown }) => isKnown === false) ?? []
  if (data === undefined || unknown.length === 0) return null
  const names = unknown.map(({ language, documents }) => texts.documents(nameOfLanguage(language, ofPage), documents))
  const commands = [...(data.advice ?? '').matchAll(/"(alcove [^"]+)"/g)]
    .map(([, command]) => command ?? '')
    .slice(0, 2)
  return (
    <Note kind="warning">
      <p>{texts.found(names.join(', '), data.embeddingModel)}</p>
      <p>{texts.windows(data.windows)}</p>
      {commands.map((command) => (
        <p key={command}>
          <code>{command}</code>
        </p>
      ))}
    </Note>
  )
}
