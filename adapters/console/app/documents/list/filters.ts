import { useHistoryState } from 'wouter/use-browser-location'

/** The states by which the list is filtered. A document in progress waits, or is being processed. */
export const STATE_FILTERS = ['all', 'busy', 'completed', 'failed'] as const

export type StateFilter = (typeof STATE_FILTERS)[number]

/** A state in which documents are. */
export type CountedState = Exclude<StateFilter, 'all'>

/** The conditions for the documents that the list shows. */
export interface Filters {
  /** A part of the name; empty for all names. */
  readonly name: string
  readonly state: StateFilter
}

const STATUSES = { busy: 'waiting,processing', completed: 'completed', failed: 'failed' } as const

/** All documents. */
export const NO_FILTERS: Filters = { name: '', state: 'all' }

/** The filters as the REST API has them. */
export function queryOf({ name, state }: Filters): { readonly name?: string; readonly status?: string } {
  return { ...(name !== '' && { name }), ...(state !== 'all' && { status: STATUSES[state] }) }
}

/** The filters in the address of the page. It may have anything: what is no filter is left out. */
export function filtersOf(address: URLSearchParams): Filters {
  const given = address.get('state')
  return { name: (address.get('name') ?? '').trim(), state: STATE_FILTERS.find((state) => state === given) ?? 'all' }
}

/** The members of the address of the page. */
export function addressOf({ name, state }: Filters): Readonly<Record<string, string>> {
  return { ...(name !== '' && { name }), ...(state !== 'all' && { state }) }
}

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
