import type { DocumentRecord, ShadowRepository } from '../../../src/ports/index.js'
import type { MemoryTables } from './memory-tables.js'

export function shadowRepository({ documents, contexts }: MemoryTables): ShadowRepository {
  const ofContext = (contextId: number, passes: (document: DocumentRecord) => boolean = () => true) =>
    documents.filter((document) => document.contextId === contextId && passes(document))
  const shadowsOf = (contextId: number) =>
    ofContext(contextId, ({ deleted, generation }) => deleted === null && generation !== null)
  const ordinaryOf = (contextId: number) =>
    ofContext(contextId, ({ deleted, generation }) => deleted === null && generation === null)
  const completedOf = (contextId: number) =>
    ordinaryOf(contextId).filter(({ replaces, completed }) => replaces === null && completed !== null)
  const doneOf = (contextId: number, generation: number) =>
    shadowsOf(contextId).filter((shadow) => shadow.generation === generation && shadow.completed !== null)
  const uncompletedOf = (contextId: number) => ordinaryOf(contextId).filter(({ completed }) => completed === null)
  const idsOf = (rows: readonly DocumentRecord[]) => rows.map(({ id }) => id)
  return {
    insert: async (contextId, generation, limit) => {
      const shaded = new Set(shadowsOf(contextId).map(({ replaces }) => replaces))
      const versions = completedOf(contextId).filter(({ id }) => !shaded.has(id))
      return versions.slice(0, limit).map(({ id: replaces, ...version }) => {
        const unprocessed = { started: null, completed: null, error: null, receipt: null, wordsVersion: null }
        const counts = { chunkCount: 0, embeddedChunks: 0 }
        return documents.insert({ ...version, ...unprocessed, ...counts, metadata: {}, replaces, generation }).id
      })
    },
    listUncompleted: async (contextId) =>
      shadowsOf(contextId)
        .filter(({ completed }) => completed === null)
        .map(({ id, generation, originalName, error }) => ({ id, generation, originalName, error })),
    shadowsOf: async (versionIds) => {
      const wanted = new Set(versionIds)
      const isWanted = ({ deleted, generation, replaces }: DocumentRecord) =>
        deleted === null && generation !== null && replaces !== null && wanted.has(replaces)
      return idsOf(documents.filter(isWanted))
    },
    progress: async (contextId, generation) => ({
      done: doneOf(contextId, generation).length,
      total: completedOf(contextId).length,
    }),
    countChunks: async (contextId) => completedOf(contextId).reduce((sum, { chunkCount }) => sum + chunkCount, 0),
    delete: async (contextId, { exceptGeneration, isFailed = false }, deleted) => {
      const wanted = shadowsOf(contextId).filter(
        ({ generation, error }) => generation !== exceptGeneration && (!isFailed || error !== null),
      )
      for (const { id } of wanted) documents.update(id, { deleted })
      return wanted.length
    },
    switch: async (contextId, { from, to }, switched) => {
      for (const { id, error } of uncompletedOf(contextId)) {
        documents.update(id, { wordsVersion: null, embeddedChunks: 0, ...(error === null && { started: null }) })
      }
      const shadows = new Map(doneOf(contextId, to).map((shadow) => [shadow.replaces, shadow]))
      if (completedOf(contextId).some(({ id }) => !shadows.has(id))) return undefined
      const ordinary = ordinaryOf(contextId)
      for (const version of ordinary.filter(({ replaces }) => replaces === null)) {
        const shadow = shadows.get(version.id)
        if (shadow === undefined) continue
        const { originalName, nameIndex, displayName, metadata } = version
        documents.update(version.id, { deleted: switched, generation: from })
        for (const { id } of ordinary.filter(({ replaces }) => replaces === version.id))
          documents.update(id, { replaces: shadow.id })
        const changes = { originalName, nameIndex, displayName, metadata, replaces: null, generation: null }
        documents.update(shadow.id, changes)
      }
      const left = ofContext(contextId, ({ generation }) => generation === to)
      for (const { id, deleted } of left) documents.update(id, { generation: null, deleted: deleted ?? switched })
      const unprocessed = uncompletedOf(contextId).filter(({ error }) => error === null)
      return { unprocessed: idsOf(unprocessed), purged: idsOf(left) }
    },
    listDeleted: async (contextId, { limit, exceptGeneration }) =>
      ofContext(contextId, ({ deleted, generation }) => deleted !== null && generation !== null)
        .filter(({ generation }) => generation !== exceptGeneration)
        .slice(0, limit)
        .map(({ id, uuid }) => ({ id, uuid })),
    listContexts: async () => {
      const owners = new Set(
        documents.filter(({ generation }) => generation !== null).map(({ contextId }) => contextId),
      )
      return contexts
        .filter(({ id, deleted, reindexing }) => deleted === null && (reindexing !== null || owners.has(id)))
        .map(({ id }) => id)
    },
  }
}
