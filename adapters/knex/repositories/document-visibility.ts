import type { Knex } from 'knex'
import type { DocumentVisibility, SearchableVersions, WordVisibility } from '../../../src/ports/index.js'
import { IS_HIDDEN, IS_REPLACEMENT } from '../migrations/0001-initial-documents.js'
import { number, quoted, type Row } from '../tables.js'
import { readRawRows, type Session } from './knex-repository.js'

type Query = Knex.QueryBuilder<Row, Row[]>

/** A part of a statement, with its values. */
interface Condition {
  readonly sql: string
  readonly bindings: readonly number[]
}

/** Reads which versions of a context's documents a search may find. */
export async function readSearchableVersions(
  session: Session,
  contextId: number,
  words: WordVisibility | undefined,
): Promise<SearchableVersions> {
  const [documents, contexts] = [quoted(session.name('documents')), quoted(session.name('contexts'))]
  // Words may find some documents that meaning does not find yet.
  const hidden = words?.findsEarly === true ? `case when ${IS_FOUND_EARLY} then 'early' else 'hidden' end` : `'hidden'`
  // The condition of a partial index is written as the index has it, word for word. Otherwise the database would read all
  // rows.
  const conditions = [
    { what: `'replacement'`, sql: IS_REPLACEMENT, bindings: [] },
    { what: hidden, sql: `(${IS_HIDDEN})`, bindings: [] },
    ...(words === undefined ? [] : hasOtherWords(words.version)).map((other) => ({ ...other, what: `'other words'` })),
  ]
  const unions = conditions.map(
    ({ what, sql }) => `union all select id, ${what} from ${documents} where context_id = ? and ${sql}`,
  )
  // One statement, without knex: each search runs it. It also reads the last id, so a later document has a higher id.
  const rows = await readRawRows(
    session,
    `select max(id) as id, 'last' as what from ${documents}
     union all select generation, 'generation' from ${contexts} where id = ? ${unions.join(' ')}`,
    [contextId, ...conditions.flatMap(({ bindings }) => [contextId, ...bindings])],
  )
  const idsOf = (...kinds: string[]): number[] => {
    const ids = rows
      .filter(({ what, id }) => kinds.includes(String(what)) && id !== null)
      .map((row) => number(row, 'id'))
    return [...new Set(ids)].sort((one, other) => one - other)
  }
  const [[lastId = 0], [generation = -1]] = [idsOf('last'), idsOf('generation')]
  const ofContext = () => rowsOf(session).where('context_id', contextId).whereNull('deleted').whereNull('generation')
  const byMeaning = await withShorterList({ lastId, hidden: idsOf('hidden', 'early') }, () =>
    ofContext().whereNotNull('completed'),
  )
  const mark = { lastId, generation, replacements: idsOf('replacement') }
  if (words === undefined) return { mark, byMeaning }
  const { version, findsEarly } = words
  const byWords = await withShorterList({ lastId, hidden: idsOf('other words', 'hidden') }, () =>
    ofContext()
      .where('words_version', version)
      .whereRaw(findsEarly ? `(completed is not null or (${IS_FOUND_EARLY}))` : 'completed is not null'),
  )
  return { mark, byMeaning, byWords }
}

/** A document that words find before it is completed. */
const IS_FOUND_EARLY = 'deleted is null and replaces is null and completed is null and error is null'

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

/** Adds the visible documents if they are fewer than the hidden ones. */
async function withShorterList(all: DocumentVisibility, selectVisible: () => Query): Promise<DocumentVisibility> {
  const { length } = all.hidden
  if (length === 0) return all
  const rows = await selectVisible().orderBy('id').limit(length).select('id')
  return rows.length < length ? { ...all, visible: rows.map((row) => number(row, 'id')) } : all
}

function rowsOf(session: Session): Query {
  return session.knex<Row>(session.name('documents'))
}
