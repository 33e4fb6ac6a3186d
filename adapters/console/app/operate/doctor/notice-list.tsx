import type { ReactElement } from 'react'
import type { Schema } from '../../api/api.js'
import { LanguageAdvice } from '../../gpts/language-advice.js'
import { phrases, useTexts } from '../../texts/phrases.js'

const TEXTS = phrases({
  en: { title: 'Nothing is wrong, but worth a look', subject: (id: number) => `GPT ${id}` },
  de: { title: 'Kein Fehler, aber einen Blick wert', subject: (id) => `GPT ${id}` },
})

/** Lists the remarks of the doctor about data that are in order. Nothing if there are none. */
export function NoticeList({ notices }: { readonly notices: readonly Schema<'DoctorNotice'>[] }): ReactElement | null {
  const texts = useTexts(TEXTS)
  if (notices.length === 0) return null
  return (
    <section>
      <h3>{texts.title}</h3>
      <ul className="operate-entries">
        {notices.map(({ code, subject, languages }) => (
          <li key={JSON.stringify([code, subject])} className="operate-entry">
            {subject.contextId !== undefined && <p className="soft">{texts.subject(subject.contextId)}</p>}
            <LanguageAdvice languages={languages} />
          </li>
        ))}
      </ul>
    </section>
  )
}
