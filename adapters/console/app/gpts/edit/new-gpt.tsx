import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { useLocation } from 'wouter'
import { dataOf, useApi } from '../../api/api.js'
import { useLogin } from '../../login/use-login.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { BackLink, PageHead } from '../../ui/page-head.js'
import { toast } from '../../ui/toasts.js'
import { GPTS, type Gpt } from '../use-gpts.js'
import { changesOf, draftOf, EMPTY_DRAFT, textsOf } from './gpt-draft.js'
import { GptForm } from './gpt-form.js'

const TEXTS = phrases({
  en: {
    back: 'All GPTs',
    title: 'New GPT',
    intro: 'A name is enough to begin. You can change everything later, and add documents next.',
    create: 'Create the GPT',
    created: (name: string) => `"${name}" is created. Now give it documents.`,
  },
  de: {
    back: 'Alle GPTs',
    title: 'Neues GPT',
    intro: 'Für den Anfang genügt ein Name. Du kannst alles später ändern; als Nächstes fügst du Dokumente hinzu.',
    create: 'GPT erstellen',
    created: (name) => `„${name}“ ist erstellt. Gib ihm jetzt Dokumente.`,
  },
})

export function NewGpt(): ReactElement {
  const texts = useTexts(TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const { login, account } = useLogin()
  const [, navigate] = useLocation()
  return (
    <>
      <BackLink href="/gpts">{texts.back}</BackLink>
      <PageHead title={texts.title}>{texts.intro}</PageHead>
      <GptForm
        isNew
        stored={EMPTY_DRAFT}
        draftKey={`${login.user.id} ${account?.id ?? ''} new`}
        action={texts.create}
        save={async (draft) => {
          const { starterPrompts, ...body } = textsOf(draft)
          const prompts = starterPrompts.length > 0 && { starterPrompts }
          return await dataOf(api.POST('/context', { body: { ...body, ...prompts } }))
        }}
        onSaved={(gpt) => {
          void queries.invalidateQueries({ queryKey: GPTS })
          toast({ text: texts.created(gpt.name) })
          navigate(`/gpts/${gpt.id}/documents`)
        }}
      />
    </>
  )
}

const EDIT_GPT_TEXTS = phrases({
  en: { save: 'Save', saved: 'The changes are saved.' },
  de: { save: 'Speichern', saved: 'Die Änderungen sind gespeichert.' },
})

/** The form of a stored context. */
export function EditGpt({ gpt }: { readonly gpt: Gpt }): ReactElement {
  const texts = useTexts(EDIT_GPT_TEXTS)
  const api = useApi()
  const queries = useQueryClient()
  const { login, account } = useLogin()
  const stored = useMemo(() => draftOf(gpt), [gpt])
  return (
    <GptForm
      stored={stored}
      draftKey={`${login.user.id} ${account?.id ?? ''} ${gpt.id}`}
      action={texts.save}
      save={async (draft, base) => {
        const params = { path: { contextId: gpt.id } }
        const newest = draftOf(await dataOf(api.GET('/context/{contextId}', { params })))
        return await dataOf(api.PUT('/context/{contextId}', { params, body: changesOf(draft, base, newest) }))
      }}
      onSaved={(saved) => {
        queries.setQueryData([...GPTS, gpt.id], saved)
        void queries.invalidateQueries({ queryKey: GPTS })
        toast({ text: texts.saved })
      }}
    />
  )
}
