import type { Knex } from 'knex'
import type { DocumentConditions } from '../../../src/ports/index.js'
import type { Session } from './knex-repository.js'
import { probesOf } from './metadata-probes.js'

type Query = Knex.QueryBuilder

/** Restricts a query of documents to those that meet conditions. */
export function whereMeets(
  session: Session,
  documents: Query,
  contextId: number,
  conditions: DocumentConditions,
): void {
  const { dialect } = session
  if (conditions.documents !== undefined) {
    void documents.whereRaw(`public_id in ${dialect.ids}`, [dialect.bindIds(conditions.documents)])
  }
  const probes = probesOf(conditions)
  if (probes.isEmpty) return
  const { sql, bindings } = probes.select(session, contextId)
  void documents.whereRaw(`id ${probes.onlyRefuses ? 'not in' : 'in'} (${sql})`, [...bindings])
}

/** Finds the ids of the versions that meet conditions, in one statement. */
export function selectMatching(session: Session, contextId: number, conditions: DocumentConditions): Query | Knex.Raw {
  const { knex, name } = session
  const probes = probesOf(conditions)
  if (conditions.documents === undefined && !probes.isEmpty && !probes.onlyRefuses) {
    // The rows of metadata alone answer. Those of the documents would take several times as long.
    const { sql, bindings } = probes.select(session, contextId)
    return knex.raw(`(${sql}) as matching`, [...bindings])
  }
  const documents = knex(name('documents')).where('context_id', contextId).whereNull('generation').select('id')
  whereMeets(session, documents, contextId, conditions)
  return documents.as('matching')
}
