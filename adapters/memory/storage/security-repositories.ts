import type {
  AuditRepository,
  OneTimePasswordRepository,
  RateLimit,
  RateOutcome,
  RateRepository,
  RevokedTokenRepository,
} from '../../../src/ports/index.js'
import { isWithin, type MemoryTables } from './memory-tables.js'

export function oneTimePasswordRepository(tables: MemoryTables): OneTimePasswordRepository {
  const { oneTimePasswords, recoveryCodes, users } = tables
  const find = (userId: number) => oneTimePasswords.find((row) => row.userId === userId)
  const removeCodes = (userId: number): void => {
    recoveryCodes.deleteAll(recoveryCodes.filter((code) => code.userId === userId))
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
    consumeStep: async (userId, secret, step) => {
      const row = find(userId)
      if (row?.secret !== secret || (row.lastStep ?? -1) >= step) return false
      return oneTimePasswords.update(row.id, { lastStep: step })
    },
    replaceRecoveryCodes: async (userId, hashes) => {
      removeCodes(userId)
      for (const hash of hashes) recoveryCodes.insert({ userId, hash })
    },
    consumeRecoveryCode: async (userId, hash) => {
      const code = recoveryCodes.find((stored) => stored.userId === userId && stored.hash === hash)
      return code !== undefined && recoveryCodes.delete(code.id)
    },
    countRecoveryCodes: async (userId) => recoveryCodes.filter((code) => code.userId === userId).length,
    removeOf: async (filter) => {
      const removed = oneTimePasswords.filter(({ userId }) => {
        return 'userId' in filter ? userId === filter.userId : users.get(userId)?.companyId === filter.companyId
      })
      for (const { userId } of removed) removeCodes(userId)
      return oneTimePasswords.deleteAll(removed) > 0
    },
  }
}

export function revokedTokenRepository({ revokedTokens }: MemoryTables): RevokedTokenRepository {
  const find = (tokenHash: string) => revokedTokens.find((token) => token.tokenHash === tokenHash)
  return {
    add: async (token) => {
      if (find(token.tokenHash) !== undefined) return false
      revokedTokens.insert(token)
      return true
    },
    has: async (tokenHash) => find(tokenHash) !== undefined,
    removeExpired: async ({ now, limit }) =>
      revokedTokens.deleteAll(revokedTokens.filter(({ expiresMs }) => expiresMs <= now.getTime()).slice(0, limit)),
  }
}

const ALLOWED: RateOutcome = { isAllowed: true, retryAfterMs: 0 }

export function rateRepository({ rates }: MemoryTables): RateRepository {
  const find = (name: string) => rates.find((rate) => rate.name === name)
  const findCurrent = (name: string, { windowMs, now }: RateLimit) => {
    const rate = find(name)
    const leftMs = (rate?.endsMs ?? 0) - now.getTime()
    return rate !== undefined && leftMs > 0 && leftMs <= windowMs ? { ...rate, leftMs } : undefined
  }
  return {
    consume: async (name, limit) => {
      const window = findCurrent(name, limit)
      if (window === undefined) {
        const rate = find(name)
        if (rate !== undefined) rates.delete(rate.id)
        rates.insert({ name, endsMs: limit.now.getTime() + limit.windowMs, count: 1 })
        return ALLOWED
      }
      if (window.count >= limit.most) return { isAllowed: false, retryAfterMs: window.leftMs }
      rates.update(window.id, { count: window.count + 1 })
      return ALLOWED
    },
    peek: async (name, limit) => {
      const window = findCurrent(name, limit)
      return window === undefined || window.count < limit.most
        ? ALLOWED
        : { isAllowed: false, retryAfterMs: window.leftMs }
    },
    forget: async (name) => {
      const rate = find(name)
      if (rate !== undefined) rates.delete(rate.id)
    },
    removeEnded: async ({ now, limit }) =>
      rates.deleteAll(rates.filter(({ endsMs }) => endsMs <= now.getTime()).slice(0, limit)),
  }
}

export function auditRepository({ audit, companies }: MemoryTables): AuditRepository {
  return {
    append: async (record) => {
      audit.insert(record)
    },
    appendAll: async (records) => {
      for (const record of records) audit.insert(record)
    },
    list: async ({ withinCompanyId, companyId, action, actorUserId, from, to, beforeId, limit }) =>
      audit
        .filter(
          (record) =>
            (companyId === undefined || record.companyId === companyId) &&
            (action === undefined || record.action === action) &&
            (actorUserId === undefined || record.actorUserId === actorUserId) &&
            (from === undefined || record.time >= from) &&
            (to === undefined || record.time < to) &&
            (beforeId === undefined || record.id < beforeId) &&
            (withinCompanyId === undefined ||
              (record.companyId !== null && isWithin(companies, record.companyId, withinCompanyId))),
        )
        .reverse()
        .slice(0, limit),
    removeOlderThan: async (time, limit) => {
      const old = audit
        .filter((record) => record.time < time)
        .sort((one, other) => one.time.localeCompare(other.time) || one.id - other.id)
        .slice(0, limit)
      return audit.deleteAll(old)
    },
  }
}
