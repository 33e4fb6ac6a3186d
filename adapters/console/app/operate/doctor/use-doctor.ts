import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { dataOf, type Schema, useApi } from '../../api/api.js'

/** The doctor without repairs, as this page runs it. */
export interface Doctor {
  readonly run: () => void
  readonly cancel: () => void
  readonly isRunning: boolean
  readonly isCancelled: boolean
  readonly report: Schema<'VerifyReport'> | undefined
  readonly error: Error | null
}

/** The server ends the run if the user cancels it or leaves the section. */
export function useDoctor(): Doctor {
  const api = useApi()
  const queries = useQueryClient()
  const ending = useRef<AbortController>(undefined)
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: async () => {
      const abort = new AbortController()
      ending.current = abort
      try {
        return await dataOf(api.POST('/operator/verify', { signal: abort.signal }))
      } catch (thrown) {
        if (abort.signal.aborted) return 'cancelled'
        throw thrown
      }
    },
    onSettled: async () => await queries.invalidateQueries({ queryKey: ['installation'] }),
  })
  useEffect(() => () => ending.current?.abort(), [])
  return {
    run: () => mutate(),
    cancel: () => ending.current?.abort(),
    isRunning: isPending,
    isCancelled: data === 'cancelled',
    report: data === 'cancelled' ? undefined : data,
    error,
  }
}
