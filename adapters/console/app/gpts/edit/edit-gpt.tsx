import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { dataOf, useApi } from '../../api/api.js'
import { useLogin } from '../../login/use-login.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { toast } from '../../ui/toasts.js'
import { GPTS, type Gpt } from '../use-gpts.js'
import { changesOf, draftOf } from './gpt-draft.js'
import { GptForm } from './gpt-form.js'

const TEXTS = phrases({
  en: { save: 'Save', saved: 'The changes are saved.' },
  de: { save: 'Speichern', saved: 'Die Änderungen sind gespeichert.' },
})

/** The form of a stored context. */
export function EditGpt({ gpt }: { readonly gpt: Gpt }): ReactElement {
  const texts = useTexts(TEXTS)
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
