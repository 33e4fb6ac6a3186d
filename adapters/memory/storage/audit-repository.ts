import type { AuditRepository } from '../../../src/ports/index.js'
import { isWithin } from './company-tree.js'
import type { MemoryTables } from './tables.js'

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
      for (const { id } of old) audit.delete(id)
      return old.length
    },
  }
}
