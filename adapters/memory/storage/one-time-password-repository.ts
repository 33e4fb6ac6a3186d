import type { OneTimePasswordRepository } from '../../../src/ports/index.js'
import type { MemoryTables } from './tables.js'

export function oneTimePasswordRepository(tables: MemoryTables): OneTimePasswordRepository {
  const { oneTimePasswords, recoveryCodes, users } = tables
  const find = (userId: number) => oneTimePasswords.find((row) => row.userId === userId)
  const removeCodes = (userId: number): void => {
    for (const { id } of recoveryCodes.filter((code) => code.userId === userId)) recoveryCodes.delete(id)
  }
  return {
    get: async (userId) => {
      const row = find(userId)
      if (row === undefined) return undefined
      const { id: _, ...record } = row
      return record
    },
    listUserIds: async (among) =>
      oneTimePasswords
        .filter(({ secret }) => secret !== null)
        .map(({ userId }) => userId)
        .filter((userId) => among === undefined || among.includes(userId))
        .sort((one, other) => one - other),
    lock: async () => undefined,
    putPending: async (userId, pendingSecret) => {
      const row = find(userId)
      if (row === undefined) oneTimePasswords.insert({ userId, secret: null, pendingSecret, lastStep: null })
      else oneTimePasswords.update(row.id, { pendingSecret })
    },
    activate: async (userId, pendingSecret, step) => {
      const row = find(userId)
      if (row?.pendingSecret !== pendingSecret) return false
      return oneTimePasswords.update(row.id, { secret: pendingSecret, pendingSecret: null, lastStep: step })
    },
    takeStep: async (userId, secret, step) => {
      const row = find(userId)
      if (row?.secret !== secret || (row.lastStep ?? -1) >= step) return false
      return oneTimePasswords.update(row.id, { lastStep: step })
    },
    replaceRecoveryCodes: async (userId, hashes) => {
      removeCodes(userId)
      for (const hash of hashes) recoveryCodes.insert({ userId, hash })
    },
    takeRecoveryCode: async (userId, hash) => {
      const code = recoveryCodes.find((stored) => stored.userId === userId && stored.hash === hash)
      return code !== undefined && recoveryCodes.delete(code.id)
    },
    countRecoveryCodes: async (userId) => recoveryCodes.filter((code) => code.userId === userId).length,
    removeOf: async (filter) => {
      const removed = oneTimePasswords.filter(({ userId }) => {
        return 'userId' in filter ? userId === filter.userId : users.get(userId)?.companyId === filter.companyId
      })
      for (const { id, userId } of removed) {
        removeCodes(userId)
        oneTimePasswords.delete(id)
      }
      return removed.length > 0
    },
  }
}
