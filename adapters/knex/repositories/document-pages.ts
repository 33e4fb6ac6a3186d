import type { Knex } from 'knex'
import type { DocumentPage, DocumentPosition, DocumentSelection, DocumentStatus } from '../../../src/ports/index.js'
import { IS_CURRENT, IS_HIDDEN } from '../migrations/0001-initial-documents.js'
import { number, type Row, text } from '../tables.js'
import { wherePasses } from './document-filter.js'
import { lastWithin, type Session, sizeOf } from './knex-repository.js'

type Query = Knex.QueryBuilder<Row, Row[]>

/**
 * The columns that order documents by their names. With a part of a name, the database must not use the index of names:
 * it would fetch all rows of the context in random order. It orders only what is left.
 */
function nameOrder({ foldedPart }: DocumentSelection): string {
  return foldedPart === undefined ? 'folded_name, public_id' : "folded_name || '', public_id"
}

/** Reads the positions of the documents of a page. */
export async function readPositions(
  session: Session,
  contextId: number,
  page: DocumentPage,
  selection: DocumentSelection,
): Promise<readonly DocumentPosition[]> {
  const rows: Row[] = await pageOf(session, contextId, page, selection).select('public_id', 'folded_name')
  return rows.map(toPosition)
}

/** Reads the rows of the documents of a page. @param largeColumns the columns that `maxBytes` of the page counts */
export async function readPage(
  session: Session,
  contextId: number,
  page: DocumentPage,
  selection: DocumentSelection,
  largeColumns: readonly string[],
): Promise<readonly Row[]> {
  const { maxBytes } = page
  const query = () => pageOf(session, contextId, page, selection)
  if (maxBytes === undefined) return await query().select()
  const bytes = session.knex.raw(`${sizeOf(largeColumns)} as bytes`)
  const last = lastWithin(await query().select('public_id', 'folded_name', bytes), maxBytes)
  if (last === undefined) return []
  return await pageOf(session, contextId, { ...page, upTo: toPosition(last) }, selection).select()
}

function toPosition(row: Row): DocumentPosition {
  return { publicId: number(row, 'public_id'), foldedName: text(row, 'folded_name') }
}

function pageOf(session: Session, contextId: number, page: DocumentPage, selection: DocumentSelection): Query {
  const query: Query = session.knex<Row>(session.name('documents'))
  void query.where('context_id', contextId).whereRaw(IS_CURRENT).limit(page.limit)
  inOrder(query, page, nameOrder(selection))
  whereSelected(session, query, contextId, selection)
  return query
}

function inOrder(query: Query, { order, after, upTo }: DocumentPage, byName: string): void {
  if (order === 'name') {
    const compare = (operator: string, { foldedName, publicId }: DocumentPosition) =>
      void query.whereRaw(`(${byName}) ${operator} (?, ?)`, [foldedName, publicId])
    if (after !== undefined) compare('>', after)
    if (upTo !== undefined) compare('<=', upTo)
    void query.orderByRaw(byName)
    return
  }
  const [behind, until, direction] = order === 'newest' ? ['<', '>=', 'desc'] : ['>', '<=', 'asc']
  if (after !== undefined) void query.where('public_id', behind, after.publicId)
  if (upTo !== undefined) void query.where('public_id', until, upTo.publicId)
  void query.orderBy('public_id', direction)
}

function whereSelected(
  session: Session,
  query: Query,
  contextId: number,
  { filter, statuses, foldedPart }: DocumentSelection,
): void {
  if (filter !== undefined) wherePasses(session, query, contextId, filter)
  if (statuses !== undefined) whereStatus(session, query, contextId, statuses)
  if (foldedPart !== undefined) {
    // No pattern, so that every character stands for itself.
    const contains = session.dialect.contains
    void query.whereRaw(`(${contains('folded_name')} or ${contains('folded_original')})`, [foldedPart, foldedPart])
  }
}

function whereStatus(session: Session, query: Query, contextId: number, statuses: readonly DocumentStatus[]): void {
  const uncompleted = uncompletedIn(statuses)
  void query.where((either) => {
    if (statuses.includes('completed')) void either.whereNotNull('completed')
    // An empty list selects nothing.
    else if (uncompleted === undefined) void either.whereRaw('1 = 0')
    if (uncompleted === undefined) return
    const ids = session.knex(session.name('documents')).select('public_id').where('context_id', contextId)
    // The condition of the partial index, word for word: it has no completed version, and so few of them.
    void ids.whereRaw(`(${IS_HIDDEN})`).whereRaw(`deleted is null and completed is null and ${uncompleted}`)
    void either.orWhereIn('public_id', ids)
  })
}

/** SQL for versions that are not completed, and are in one of these states; undefined if there can be none. */
function uncompletedIn(statuses: readonly DocumentStatus[]): string | undefined {
  const [isFailed, isWaiting, isProcessing] = (['failed', 'waiting', 'processing'] as const).map((status) =>
    statuses.includes(status),
  )
  // Plain conditions on columns: the database knows how many rows meet them.
  const states = [
    ...(isFailed === true ? ['error is not null'] : []),
    ...(isWaiting === true && isProcessing === true ? ['error is null'] : []),
    ...(isWaiting === true && isProcessing !== true ? ['(error is null and started is null)'] : []),
    ...(isWaiting !== true && isProcessing === true ? ['(error is null and started is not null)'] : []),
  ]
  return states.length === 0 ? undefined : `(${states.join(' or ')})`
}
