import type { ContextFilter, ContextRepository } from '../../../src/ports/index.js'
import { type MemoryTables, pageOf } from './memory-tables.js'

export function contextRepository({ contexts, accounts, documents }: MemoryTables): ContextRepository {
  const findLive = (id: number) => contexts.find((context) => context.id === id && context.deleted === null)
  const filterLive = ({ accountId, visibleTo }: ContextFilter) =>
    contexts.filter((context) => {
      if (context.accountId !== accountId || context.deleted !== null) return false
      return visibleTo === undefined || context.userId === visibleTo || context.shareState === 1
    })
  const filterOfCompany = (companyId: number) =>
    contexts.filter(({ accountId, deleted }) => {
      const account = accounts.get(accountId)
      return deleted === null && account?.deleted === null && account.companyId === companyId
    })
  return {
    insert: async (context) => contexts.insert(context),
    get: async (id) => findLive(id),
    generations: async (id) => {
      const context = findLive(id)
      return context && { generation: context.generation, reindexing: context.reindexing }
    },
    // Transactions run one after the other.
    lock: async () => undefined,
    list: async (filter, page) => pageOf(filterLive(filter), page),
    listIds: async (filter, page) => pageOf(filterLive(filter), page).map(({ id }) => id),
    count: async (companyId) => filterOfCompany(companyId).length,
    measure: async (companyId, most) => {
      const sizes = filterOfCompany(companyId).flatMap(({ id, accountId, userId, maxSizeBytes }) => {
        const ofContext = documents.filter(
          ({ contextId, deleted, replaces }) => contextId === id && deleted === null && replaces === null,
        )
        const sizeBytes = ofContext.reduce((bytes, document) => bytes + document.sizeBytes + document.excessBytes, 0)
        const size = { id, accountId, userId, maxSizeBytes, documents: ofContext.length, sizeBytes }
        return ofContext.length === 0 ? [] : [size]
      })
      return {
        documents: sizes.reduce((sum, size) => sum + size.documents, 0),
        sizeBytes: sizes.reduce((sum, size) => sum + size.sizeBytes, 0),
        largest: sizes.sort((one, other) => other.sizeBytes - one.sizeBytes || one.id - other.id).slice(0, most),
      }
    },
    update: async (id, changes) => {
      if (findLive(id)) contexts.update(id, changes)
      return findLive(id)
    },
    page: async ({ after, limit }) => contexts.filter(({ id }) => id > after).slice(0, limit),
    deleteMadeBy: async (userId, deleted) => {
      const ofUser = contexts.filter((context) => context.userId === userId && context.deleted === null)
      const erasedTexts = { description: '', caption: '', toolsJson: '[]', starterPrompts: [] }
      for (const { id } of ofUser) contexts.update(id, { ...erasedTexts, deleted })
      return ofUser.map(({ id, accountId }) => ({ id, accountId }))
    },
    listAccountsOf: async (userId) => {
      const ofUser = contexts.filter((context) => context.userId === userId && context.deleted === null)
      return [...new Set(ofUser.map(({ accountId }) => accountId))].sort((one, other) => one - other)
    },
    handOver: async ({ accountId, fromUserId, toUserId }, { after, limit }) => {
      const given = contexts
        .filter(
          (context) => context.accountId === accountId && context.userId === fromUserId && context.deleted === null,
        )
        .filter(({ id }) => id > after)
        .slice(0, limit)
      for (const { id } of given) contexts.update(id, { userId: toUserId })
      return given.map(({ id }) => id)
    },
    isDeleted: async (id) => (contexts.get(id)?.deleted ?? null) !== null,
    listDeleted: async () => contexts.filter((context) => context.deleted !== null).map(({ id }) => id),
    listWithoutWords: async (version) => {
      const withoutWords = documents.filter(
        ({ completed, deleted, generation, wordsVersion }) =>
          completed !== null && deleted === null && generation === null && wordsVersion !== version,
      )
      const ids = new Set(withoutWords.map(({ contextId }) => contextId))
      return contexts.filter(({ id, deleted }) => deleted === null && ids.has(id)).map(({ id }) => id)
    },
    remove: async (id) => {
      contexts.delete(id)
    },
  }
}
