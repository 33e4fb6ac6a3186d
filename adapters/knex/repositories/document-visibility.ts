import type { Knex } from 'knex'
import type { DocumentVisibility, WordVisibility } from '../../../src/ports/index.js'
import { IS_HIDDEN } from '../migrations/0002-living-documents.js'
import { number, quoted, type Row } from '../tables.js'
import { readRawRows, type Session } from './knex-repository.js'

type Query = Knex.QueryBuilder<Row, Row[]>

/** A part of a statement, with its values. */
interface Condition {
  readonly sql: string
  readonly bindings: readonly number[]
}

/** Reads which documents of a context a search by vectors may find. */
export async function readVisibility(session: Session, contextId: number): Promise<DocumentVisibility> {
  return await readSmallerPart(session, contextId, [{ sql: `(${IS_HIDDEN})`, bindings: [] }], (rows) =>
    rows.whereNotNull('completed').whereNull('deleted').whereNull('generation'),
  )
}

/** Reads which documents of a context a search by words may find. */
export async function readWordVisibility(
  session: Session,
  contextId: number,
  { version, findsEarly }: WordVisibility,
): Promise<DocumentVisibility> {
  const [isHidden, isVisible] = findsEarly
    ? [
        'deleted is not null or replaces is not null or (completed is null and error is not null)',
        '(completed is not null or (error is null and replaces is null))',
      ]
    : [IS_HIDDEN, 'completed is not null']
  const hidden = [...hasOtherWords(version), { sql: `(${IS_HIDDEN}) and (${isHidden})`, bindings: [] }]
  return await readSmallerPart(session, contextId, hidden, (rows) =>
    rows.where('words_version', version).whereNull('deleted').whereNull('generation').whereRaw(isVisible),
  )
}

/** Selects documents whose words another version indexed, or none. */
export function selectOtherWords(session: Session, contextId: number, version: number): Query[] {
  return hasOtherWords(version).map(({ sql, bindings }) =>
    rowsOf(session)
      .where('context_id', contextId)
      .whereRaw(sql, [...bindings])
      .select('id'),
  )
}

/** Three statements use the index; one with "or" would scan. */
function hasOtherWords(version: number): readonly Condition[] {
  return [
    { sql: 'generation is null and words_version is null', bindings: [] },
    { sql: 'generation is null and words_version < ?', bindings: [version] },
    { sql: 'generation is null and words_version > ?', bindings: [version] },
  ]
}

/**
 * Lists the hidden documents of a context, and the visible ones if they are fewer.
 *
 * @param isHidden a hidden document meets at least one of the conditions. The condition of a partial index is written as
 *   the index has it, word for word. Otherwise the database would read all rows.
 */
async function readSmallerPart(
  session: Session,
  contextId: number,
  isHidden: readonly Condition[],
  selectVisible: (rows: Query) => Query,
): Promise<DocumentVisibility> {
  const documents = quoted(session.name('documents'))
  const hiddenIds = isHidden.map(
    ({ sql }) => `union all select id, 'hidden' from ${documents} where context_id = ? and ${sql}`,
  )
  // One statement, without knex: each search runs it. It also reads the last id, so a document that is added later has a
  // higher id.
  const rows = await readRawRows(
    session,
    `select max(id) as id, 'last' as what from ${documents} ${hiddenIds.join(' ')}`,
    isHidden.flatMap(({ bindings }) => [contextId, ...bindings]),
  )
  const lastId = Number(rows.find(({ what }) => what === 'last')?.['id'] ?? 0)
  const hidden = [...new Set(idsOf(rows.filter(({ what }) => what === 'hidden')))].sort((one, other) => one - other)
  if (hidden.length === 0) return { lastId, hidden }
  const visibleRows = selectVisible(rowsOf(session).where('context_id', contextId))
  const visible = idsOf(await visibleRows.orderBy('id').limit(hidden.length).select('id'))
  return { lastId, hidden, ...(visible.length < hidden.length && { visible }) }
}

function rowsOf(session: Session): Query {
  return session.knex<Row>(session.name('documents'))
}

function idsOf(rows: readonly Row[]): number[] {
  return rows.map((row) => number(row, 'id'))
}
