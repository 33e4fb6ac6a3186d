import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { Label, RadioButton, RadioField, RadioGroup } from 'react-aria-components'
import { dataOf, useApi } from '../../api/api.js'
import { useLogin } from '../../login/use-login.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Switch } from '../../ui/form/fields.js'
import { ErrorNote } from '../../ui/notes.js'
import { toast } from '../../ui/toasts.js'
import { GPTS, type Gpt } from '../use-gpts.js'

const ICONS = {
  '🤖': { en: 'Robot', de: 'Roboter' },
  '📘': { en: 'Book', de: 'Buch' },
  '🛠️': { en: 'Tools', de: 'Werkzeug' },
  '💬': { en: 'Conversation', de: 'Gespräch' },
  '⚖️': { en: 'Law', de: 'Recht' },
  '🧾': { en: 'Invoices', de: 'Rechnungen' },
  '🎓': { en: 'Learning', de: 'Lernen' },
  '🩺': { en: 'Health', de: 'Gesundheit' },
} as const

type Icon = keyof typeof ICONS

const TEXTS = phrases({
  en: {
    title: 'Sharing',
    share: 'Share this GPT',
    everybody: (account: string) =>
      `Everybody with a right on the account "${account}" sees it and its documents, and can search it. Only its owner and those who manage users can change it.`,
    nobody: 'Only its owner sees it, and API keys that see the whole account.',
    icon: 'Icon',
    iconHint: 'Your applications can show it beside the name. The console does not: the API does not tell the icon.',
    nowShared: 'The GPT is shared.',
    nowPrivate: 'The GPT is private.',
    iconSaved: 'The icon is saved.',
    nameOf: (icon: Icon) => ICONS[icon].en,
  },
  de: {
    title: 'Teilen',
    share: 'Dieses GPT teilen',
    everybody: (account) =>
      `Alle mit einem Recht auf das Konto „${account}“ sehen es mit seinen Dokumenten und können darin suchen. Ändern können es nur sein Besitzer und wer Benutzer verwaltet.`,
    nobody: 'Nur sein Besitzer sieht es, und API-Schlüssel, die das ganze Konto sehen.',
    icon: 'Symbol',
    iconHint:
      'Deine Anwendungen können es neben dem Namen zeigen. Die Konsole zeigt es nicht, weil die API es nicht zurückgibt.',
    nowShared: 'Das GPT ist geteilt.',
    nowPrivate: 'Das GPT ist privat.',
    iconSaved: 'Das Symbol ist gespeichert.',
    nameOf: (icon) => ICONS[icon].de,
  },
})

/** Shares a context with the other users of its account, at once. */
export function Sharing({ gpt }: { readonly gpt: Gpt }): ReactElement {
  const texts = useTexts(TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const { account } = useLogin()
  const [icon, setIcon] = useState<Icon | null>(null)
  const sharing = useMutation({
    mutationFn: async (body: { readonly shareState: 0 | 1; readonly icon?: Icon }) => {
      await dataOf(api.PUT('/context/share/{contextId}', { params: { path: { contextId: gpt.id } }, body }))
      return body
    },
    onSuccess: async ({ shareState, icon: chosen }) => {
      if (chosen === undefined) toast({ text: shareState === 1 ? texts.nowShared : texts.nowPrivate })
      else toast({ text: texts.iconSaved })
      await queries.invalidateQueries({ queryKey: GPTS })
    },
    onError: () => setIcon(null),
  })
  // The switch moves at once. It moves back if the server refuses.
  const shareState = sharing.isPending ? sharing.variables.shareState : gpt.shareState
  return (
    <section className="panel" aria-labelledby="sharing-title">
      <h2 id="sharing-title">{texts.title}</h2>
      <Switch
        label={texts.share}
        hint={shareState === 1 ? texts.everybody(account?.name ?? '') : texts.nobody}
        isSelected={shareState === 1}
        isDisabled={sharing.isPending}
        onChange={(isShared) => sharing.mutate({ shareState: isShared ? 1 : 0 })}
      />
      <RadioGroup
        className="field gpts-icons"
        orientation="horizontal"
        value={icon}
        isDisabled={sharing.isPending}
        onChange={(chosen) => {
          setIcon(chosen as Icon)
          sharing.mutate({ shareState, icon: chosen as Icon })
        }}
      >
        <Label>{texts.icon}</Label>
        <div className="gpts-icon-list">
          {(Object.keys(ICONS) as Icon[]).map((each) => (
            <RadioField key={each} value={each}>
              <RadioButton className="gpts-icon">
                <span aria-hidden="true">{each}</span>
                {texts.nameOf(each)}
              </RadioButton>
            </RadioField>
          ))}
        </div>
        <span className="hint">{texts.iconHint}</span>
      </RadioGroup>
      <ErrorNote error={sharing.error} />
    </section>
  )
}
