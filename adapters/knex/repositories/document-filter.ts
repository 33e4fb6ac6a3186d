import type { Knex } from 'knex'
import type { DocumentFilter } from '../../../src/ports/index.js'
import type { Session } from './knex-repository.js'
import { probesOf } from './metadata-probes.js'

type Query = Knex.QueryBuilder

/** Restricts a query of documents to those that pass a filter. */
export function wherePasses(session: Session, documents: Query, contextId: number, filter: DocumentFilter): void {
  const { dialect } = session
  if (filter.documents !== undefined) {
    void documents.whereRaw(`public_id in ${dialect.ids}`, [dialect.bindIds(filter.documents)])
  }
  const probes = probesOf(filter)
  if (probes.isEmpty) return
  const { sql, bindings } = probes.select(session, contextId)
  void documents.whereRaw(`id ${probes.onlyRefuses ? 'not in' : 'in'} (${sql})`, [...bindings])
}

/** Finds the ids of the versions that pass a filter, in one statement. */
export function selectFiltered(session: Session, contextId: number, filter: DocumentFilter): Query | Knex.Raw {
  const { knex, name } = session
  const probes = probesOf(filter)
  if (filter.documents === undefined && !probes.isEmpty && !probes.onlyRefuses) {
    // The rows of metadata alone answer. Those of the documents would take several times as long.
    const { sql, bindings } = probes.select(session, contextId)
    return knex.raw(`(${sql}) as matching`, [...bindings])
  }
  const documents = knex(name('documents')).where('context_id', contextId).whereNull('generation').select('id')
  wherePasses(session, documents, contextId, filter)
  return documents.as('matching')
}
