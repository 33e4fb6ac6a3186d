import type { Knex } from 'knex'
import {
  type DocumentConditions,
  type DocumentMetadata,
  itemsOf,
  type KeyRule,
  keyRulesOf,
  type MetadataScalar,
  type ValueTests,
} from '../../../src/ports/index.js'
import type { Row } from '../tables.js'
import { inParts, type Session } from './knex-repository.js'

/** Characters of a string in the indexed column. With four bytes each, an entry of an index of PostgreSQL has room. */
const INDEXED_CHARACTERS = 200

type Query = Knex.QueryBuilder

/** Writes the metadata of a document, in the transaction that writes the document. Existing rows must be removed first. */
export async function insertMetadata(
  { knex, name }: Session,
  { id, contextId }: { readonly id: number; readonly contextId: number },
  metadata: DocumentMetadata,
): Promise<void> {
  const rows = Object.entries(metadata).flatMap(([key, value]) => {
    const columns = typeof value === 'object' && value.length === 0 ? [EMPTY_LIST] : itemsOf(value).map(toColumns)
    return columns.map((column) => ({ document_id: id, context_id: contextId, key, ...column }))
  })
  for (const part of inParts(rows)) await knex(name('metadata')).insert(part)
}

export async function removeMetadata({ knex, name }: Session, documentId: number): Promise<void> {
  await knex(name('metadata')).where('document_id', documentId).delete()
}

const EMPTY_LIST: Row = { type: 'list', text: null, long_text: null, number: null }

function toColumns(item: MetadataScalar): Row {
  const type = typeof item
  if (typeof item !== 'string') return { type, text: null, long_text: null, number: Number(item) }
  const text = beginningOf(item)
  return { type, text, long_text: text === item ? null : item, number: null }
}

function beginningOf(text: string): string {
  return isShort(text)
    ? text
    : Array.from(text.slice(0, INDEXED_CHARACTERS * 2))
        .slice(0, INDEXED_CHARACTERS)
        .join('')
}

/** True if no longer string can have this one as its beginning in the indexed column. */
function isShort(text: string): boolean {
  // Both databases count code points. No string has more of them than UTF-16 units.
  return (
    text.length < INDEXED_CHARACTERS || Array.from(text.slice(0, INDEXED_CHARACTERS * 2)).length < INDEXED_CHARACTERS
  )
}

/** Restricts a query of documents to those that meet conditions. */
export function whereMeets(
  session: Session,
  documents: Query,
  contextId: number,
  conditions: DocumentConditions,
): void {
  if (conditions.documents !== undefined) {
    void documents.whereRaw(`public_id in ${session.dialect.ids}`, [session.dialect.bindIds(conditions.documents)])
  }
  for (const { key, exists, some, none } of keyRulesOf(conditions)) {
    const ofKey = () => session.knex(session.name('metadata')).where({ context_id: contextId, key })
    const idsOf = (rows: Query) => rows.select('document_id')
    if (exists === true) void documents.whereIn('id', idsOf(ofKey()))
    if (exists === false) void documents.whereNotIn('id', idsOf(ofKey()))
    if (some !== undefined) void documents.whereIn('id', idsOf(wherePasses(ofKey(), some)))
    if (none !== undefined) void documents.whereNotIn('id', idsOf(wherePasses(ofKey(), none)))
  }
}

/** Finds the ids of the versions that meet conditions, in one statement. The ids are in ascending order. */
export function selectMatching(session: Session, contextId: number, conditions: DocumentConditions): Query {
  const [first, ...others] = keyRulesOf(conditions)
  if (conditions.documents === undefined && first !== undefined && others.length === 0 && hasOnlySome(first)) {
    // The index alone answers tests of one key. The rows of documents would take several times as long.
    const ofKey = session.knex(session.name('metadata')).where({ context_id: contextId, key: first.key })
    return wherePasses(ofKey, first.some).distinct('document_id as id').orderBy('document_id')
  }
  const documents = session.knex(session.name('documents')).where('context_id', contextId).whereNull('generation')
  void documents.orderBy('id').select('id')
  whereMeets(session, documents, contextId, conditions)
  return documents
}

function hasOnlySome(rule: KeyRule): rule is KeyRule & { readonly some: ValueTests } {
  return rule.some !== undefined && rule.none === undefined && rule.exists === undefined
}

/** Restricts rows of one key to the values that pass tests. */
function wherePasses(rows: Query, { in: values, gte, gt, lte, lt }: ValueTests): Query {
  if (values !== undefined) void rows.where((either) => orWhereIn(either, values))
  if (gte !== undefined) whereBound(rows, '>=', gte)
  if (gt !== undefined) whereBound(rows, '>', gt)
  if (lte !== undefined) whereBound(rows, '<=', lte)
  if (lt !== undefined) whereBound(rows, '<', lt)
  return rows
}

function orWhereIn(either: Query, values: readonly MetadataScalar[]): void {
  const texts = values.filter((value) => typeof value === 'string')
  const short = texts.filter(isShort)
  const long = texts.filter((text) => !isShort(text))
  const numbers = values.filter((value) => typeof value === 'number')
  const booleans = values.filter((value) => typeof value === 'boolean').map(Number)
  if (values.length === 0) void either.whereRaw('1 = 0')
  if (short.length > 0) void either.orWhere((rows) => void rows.where('type', 'string').whereIn('text', short))
  if (long.length > 0) {
    void either.orWhere((rows) => {
      void rows.where('type', 'string').whereIn('text', long.map(beginningOf))
      void rows.whereRaw(`coalesce(long_text, text) in (${long.map(() => '?').join()})`, long)
    })
  }
  if (numbers.length > 0) void either.orWhere((rows) => void rows.where('type', 'number').whereIn('number', numbers))
  if (booleans.length > 0) void either.orWhere((rows) => void rows.where('type', 'boolean').whereIn('number', booleans))
}

type Operator = '>=' | '>' | '<=' | '<'

function whereBound(rows: Query, operator: Operator, bound: string | number): void {
  if (typeof bound === 'number') {
    void rows.where('type', 'number').where('number', operator, bound)
    return
  }
  void rows.where('type', 'string')
  if (isShort(bound)) {
    void rows.where('text', operator, bound)
    return
  }
  // The index finds the beginnings. The whole strings decide between equal beginnings.
  void rows.where('text', operator.startsWith('>') ? '>=' : '<=', beginningOf(bound))
  void rows.whereRaw(`coalesce(long_text, text) ${operator} ?`, [bound])
}
