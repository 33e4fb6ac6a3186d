import { useHistoryState } from 'wouter/use-browser-location'

/** The state of the history behind a link of the list: the filters of the list, as its address has them. */
export interface FromList {
  readonly listQuery: string
}

/** The address of the list from which the user came, with its filters, for the way back. */
export function useListAddress(contextId: number): string {
  const state = useHistoryState<unknown>()
  const query = isFromList(state) ? state.listQuery : ''
  return `/gpts/${contextId}/documents${query === '' ? '' : `?${query}`}`
}

function isFromList(state: unknown): state is FromList {
  return typeof state === 'object' && state !== null && 'listQuery' in state && typeof state.listQuery === 'string'
}
