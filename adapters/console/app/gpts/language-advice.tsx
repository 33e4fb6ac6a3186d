import type { ReactElement } from 'react'
import type { Schema } from '../api/api.js'
import { useFormat } from '../texts/format.js'
import { nameOfLanguage } from '../texts/language-names.js'
import { phrases, plural, useLanguage, useTexts } from '../texts/phrases.js'

const TEXTS = phrases({
  en: {
    documents: (name: string, count: number) => `${name} (${plural.en(count, '1 document', `${count} documents`)})`,
    found: (languages: string, model: string) =>
      `${languages}: found by words alone. The model ${model} does not know that.`,
    cost: (size: string, windows: number, time: string) =>
      `Another model finds them by meaning too. The download has ${size}. The model embeds all documents again: ${plural.en(windows, '1 window', `${windows} windows`)}, for which the present one took ${time}. Whoever runs the server gives it to this GPT by these commands, and starts the server again after the first:`,
  },
  de: {
    documents: (name, count) => `${name} (${plural.de(count, '1 Dokument', `${count} Dokumente`)})`,
    found: (languages, model) => `${languages}: wird nur über Wörter gefunden. Das Modell ${model} kennt das nicht.`,
    cost: (size, windows, time) =>
      `Ein anderes Modell findet sie auch über den Sinn. Der Download hat ${size}. Es bettet alle Dokumente neu ein: ${plural.de(windows, '1 Fenster', `${windows} Fenster`)}, für die das jetzige ${time} brauchte. Wer den Server betreibt, gibt es diesem GPT mit diesen Befehlen und startet den Server nach dem ersten neu:`,
  },
})

/** The languages of a GPT that its model does not know, and the commands for another model. Nothing if there are none. */
export function LanguageAdvice({ languages }: { readonly languages: Schema<'ContextLanguages'> }): ReactElement | null {
  const texts = useTexts(TEXTS)
  const format = useFormat()
  const { language: ofPage } = useLanguage()
  const { embeddingModel, windows, embedMs, commands, downloadMb } = languages
  const unknown = languages.languages.filter(({ isKnown }) => isKnown === false)
  if (unknown.length === 0) return null
  const names = unknown.map(({ language, documents }) => texts.documents(nameOfLanguage(language, ofPage), documents))
  const size = format.bytes((downloadMb ?? 0) * 1_000_000)
  return (
    <>
      <p>{texts.found(names.join(', '), embeddingModel)}</p>
      <p>{texts.cost(size, windows, format.duration(Math.ceil(embedMs / 1_000)))}</p>
      {commands.map((command) => (
        <p key={command}>
          <code>{command}</code>
        </p>
      ))}
    </>
  )
}
