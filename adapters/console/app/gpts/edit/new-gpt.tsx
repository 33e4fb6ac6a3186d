import { useQueryClient } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useLocation } from 'wouter'
import { dataOf, useApi } from '../../api/api.js'
import { useLogin } from '../../login/use-login.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { BackLink } from '../../ui/back-link.js'
import { PageHead } from '../../ui/page-head.js'
import { toast } from '../../ui/toasts.js'
import { GPTS } from '../use-gpts.js'
import { EMPTY_DRAFT, textsOf } from './gpt-draft.js'
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
