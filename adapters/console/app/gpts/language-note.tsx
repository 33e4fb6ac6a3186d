import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { dataOf, useApi } from '../api/api.js'
import { Note } from '../ui/notes.js'
import { LanguageAdvice } from './language-advice.js'

/** Says once for a context in which languages its documents are found by words alone. Nothing if there are none. */
export function LanguageNote({ contextId }: { readonly contextId: number }): ReactElement | null {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['languages', contextId],
    // The server reads the receipts of all documents for it.
    staleTime: 300_000,
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }) =>
      await dataOf(api.GET('/context/languages/{contextId}', { params: { path: { contextId } }, signal })),
  })
  if (data === undefined || data.commands.length === 0) return null
  return (
    <Note kind="warning">
      <LanguageAdvice languages={data} />
    </Note>
  )
}
