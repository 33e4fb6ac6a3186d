import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactElement, type ReactNode, useRef, useState } from 'react'
import { useSearchParams } from 'wouter'
import { dataOf, useApi } from '../../api/api.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { EmptyState, ErrorNote, Loaded } from '../../ui/notes.js'
import { PageHead } from '../../ui/page-head.js'
import { ACTIONS, type AuditAction } from './actions.js'
import { type AuditFilter, AuditFilters } from './audit-filters.js'
import { AUDIT_TEXTS } from './audit-texts.js'
import { EntryItem } from './entry-item.js'

const PAGE_SIZE = 50
const MEMBERS = ['company', 'action', 'user', 'from', 'to'] as const satisfies readonly (keyof AuditFilter)[]

/** The audit trail of the companies in reach. The address of the page keeps the filters. */
export function AuditPage({ tabs }: { readonly tabs: ReactNode }): ReactElement {
  const texts = useTexts(AUDIT_TEXTS)
  const api = useApi()
  const heading = useRef<HTMLHeadingElement>(null)
  const [params, setParams] = useSearchParams()
  const [clearings, setClearings] = useState(0)
  const filter = Object.fromEntries(MEMBERS.map((name) => [name, params.get(name) ?? ''])) as unknown as AuditFilter
  const isFiltered = MEMBERS.some((name) => filter[name] !== '')
  const query = queryOf(filter)
  const trail = useInfiniteQuery({
    queryKey: ['audit', query],
    queryFn: async ({ signal, pageParam }) => {
      const page = { ...query, limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) }
      return await dataOf(api.GET('/tenant/audit', { params: { query: page }, signal }))
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const change = (changes: Partial<AuditFilter>): void => {
    const chosen = Object.entries({ ...filter, ...changes }).filter(([, value]) => value !== '')
    setParams(Object.fromEntries(chosen), { replace: true })
  }
  const clear = (): void => {
    setParams({}, { replace: true })
    setClearings(clearings + 1)
  }
  const showUser = (id: number): void => {
    change({ user: String(id) })
    // The button goes with its entry, and the keyboard goes on at the list.
    heading.current?.focus()
  }
  return (
    <>
      <PageHead title={texts.title} actions={<Button onPress={() => void trail.refetch()}>{texts.again}</Button>}>
        {texts.about}
      </PageHead>
      {tabs}
      <AuditFilters key={clearings} filter={filter} onChange={change} />
      <div className="operate-clear">
        <Button onPress={clear}>{texts.clear}</Button>
      </div>
      <h2 ref={heading} tabIndex={-1}>
        {texts.list}
      </h2>
      <Loaded query={trail}>
        {({ pages }) => {
          const entries = pages.flatMap(({ items }) => items)
          if (entries.length === 0) {
            return isFiltered ? (
              <EmptyState title={texts.noneFound}>{texts.noneFoundText}</EmptyState>
            ) : (
              <EmptyState title={texts.none}>{texts.noneText}</EmptyState>
            )
          }
          return (
            <ol className="operate-entries" aria-label={texts.list}>
              {entries.map((entry) => (
                <EntryItem key={entry.id} entry={entry} onUser={showUser} />
              ))}
            </ol>
          )
        }}
      </Loaded>
      {trail.isFetchNextPageError && <ErrorNote error={trail.error} />}
      {trail.hasNextPage && (
        <Button isPending={trail.isFetchingNextPage} onPress={() => void trail.fetchNextPage()}>
          {texts.more}
        </Button>
      )}
    </>
  )
}

interface AuditQuery {
  readonly companyId?: number
  readonly action?: AuditAction
  readonly userId?: number
  readonly from?: string
  readonly to?: string
}

/** The address may have anything: what is no filter is left out. */
function queryOf({ company, action, user, from, to }: AuditFilter): AuditQuery {
  const companyId = Number(company)
  const userId = Number(user)
  const first = dayOf(from, 0)
  // The API's end is exclusive, and the one of the page is the last day.
  const end = dayOf(to, 1)
  return {
    ...(Number.isSafeInteger(companyId) && companyId > 0 && { companyId }),
    ...(action in ACTIONS && { action: action as AuditAction }),
    ...(Number.isSafeInteger(userId) && userId > 0 && { userId }),
    ...(first !== undefined && { from: first }),
    ...(end !== undefined && { to: end }),
  }
}

/** The beginning of a day in the user's time zone, or of a later one. */
function dayOf(text: string, daysLater: number): string | undefined {
  const date = new Date(`${text}T00:00`)
  if (Number.isNaN(date.getTime())) return undefined
  date.setDate(date.getDate() + daysLater)
  return date.toISOString()
}
