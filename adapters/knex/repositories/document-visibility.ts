import type { Knex } from 'knex'
import type { DocumentVisibility, WordVisibility } from '../../../src/ports/index.js'
import { IS_HIDDEN } from '../migrations/0002-living-documents.js'
import { number, type Row } from '../tables.js'
import type { Session } from './knex-repository.js'

type Query = Knex.QueryBuilder<Row, Row[]>

/** Reads which documents of a context a search by vectors may find. */
export async function readVisibility(session: Session, contextId: number): Promise<DocumentVisibility> {
  const ofContext = () => rowsOf(session).where('context_id', contextId)
  return await readSmallerPart(
    session,
    // The condition is that of the partial index, word for word. Otherwise the database would read all rows.
    async () => await ofContext().whereRaw(`(${IS_HIDDEN})`).select('id'),
    () => ofContext().whereNotNull('completed').whereNull('deleted').whereNull('generation'),
  )
}

/** Reads which documents of a context a search by words may find. */
export async function readWordVisibility(
  session: Session,
  contextId: number,
  { version, findsEarly }: WordVisibility,
): Promise<DocumentVisibility> {
  const ofContext = () => rowsOf(session).where('context_id', contextId)
  const [isHidden, isVisible] = findsEarly
    ? [
        'deleted is not null or replaces is not null or (completed is null and error is not null)',
        '(completed is not null or (error is null and replaces is null))',
      ]
    : [IS_HIDDEN, 'completed is not null']
  return await readSmallerPart(
    session,
    async () => {
      const hiddenByState = ofContext().whereRaw(`(${IS_HIDDEN})`).whereRaw(`(${isHidden})`).select('id')
      const hiddenByVersion = selectOtherWords(session, contextId, version)
      return (await session.knex.union([...hiddenByVersion, hiddenByState])) as Row[]
    },
    () => ofContext().where('words_version', version).whereNull('deleted').whereNull('generation').whereRaw(isVisible),
  )
}

/**
 * Selects documents whose words another version indexed, or none. Three statements use the index; one with "or" would
 * scan.
 */
export function selectOtherWords(session: Session, contextId: number, version: number): Query[] {
  const ofContext = () => rowsOf(session).where('context_id', contextId).whereNull('generation')
  return [
    ofContext().whereNull('words_version').select('id'),
    ofContext().where('words_version', '<', version).select('id'),
    ofContext().where('words_version', '>', version).select('id'),
  ]
}

/** Lists the hidden documents of a context, and the visible ones if they are fewer. */
async function readSmallerPart(
  session: Session,
  listHidden: () => Promise<readonly Row[]>,
  visibleRows: () => Query,
): Promise<DocumentVisibility> {
  // The last id is read first, so that a document that is added during the next statements has a higher id.
  const lastId = Number((await rowsOf(session).max({ id: 'id' }))[0]?.id ?? 0)
  const hidden = idsOf(await listHidden()).sort((one, other) => one - other)
  const visible = hidden.length === 0 ? [] : idsOf(await visibleRows().orderBy('id').limit(hidden.length).select('id'))
  return { lastId, hidden, ...(visible.length < hidden.length && { visible }) }
}

function rowsOf(session: Session): Query {
  return session.knex<Row>(session.name('documents'))
}

function idsOf(rows: readonly Row[]): number[] {
  return rows.map((row) => number(row, 'id'))
}
