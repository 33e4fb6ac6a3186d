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
      const known = find(userId)
      if (known === undefined) return undefined
      const { id: _, ...record } = known
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
      const known = find(userId)
      if (known === undefined) oneTimePasswords.insert({ userId, secret: null, pendingSecret, lastStep: null })
      else oneTimePasswords.update(known.id, { pendingSecret })
    },
    activate: async (userId, pendingSecret, step) => {
      const known = find(userId)
      if (known?.pendingSecret !== pendingSecret) return false
      return oneTimePasswords.update(known.id, { secret: pendingSecret, pendingSecret: null, lastStep: step })
    },
    takeStep: async (userId, secret, step) => {
      const known = find(userId)
      if (known?.secret !== secret || (known.lastStep ?? -1) >= step) return false
      return oneTimePasswords.update(known.id, { lastStep: step })
    },
    replaceRecoveryCodes: async (userId, hashes) => {
      removeCodes(userId)
      for (const hash of hashes) recoveryCodes.insert({ userId, hash })
    },
    takeRecoveryCode: async (userId, hash) => {
      const code = recoveryCodes.find((known) => known.userId === userId && known.hash === hash)
      return code !== undefined && recoveryCodes.delete(code.id)
    },
    countRecoveryCodes: async (userId) => recoveryCodes.filter((code) => code.userId === userId).length,
    removeOf: async (of) => {
      const named = oneTimePasswords.filter(({ userId }) => {
        return 'userId' in of ? userId === of.userId : users.get(userId)?.companyId === of.companyId
      })
      for (const { id, userId } of named) {
        removeCodes(userId)
        oneTimePasswords.delete(id)
      }
      return named.length > 0
    },
  }
}
