import type { RateLimit, RateOutcome, RateRepository } from '../../../src/ports/index.js'
import type { MemoryTables } from './tables.js'

const ALLOWED: RateOutcome = { isAllowed: true, retryAfterMs: 0 }

export function rateRepository({ rates }: MemoryTables): RateRepository {
  const find = (name: string) => rates.find((rate) => rate.name === name)
  const findCurrent = (name: string, { windowMs, now }: RateLimit) => {
    const rate = find(name)
    const leftMs = (rate?.endsMs ?? 0) - now.getTime()
    return rate !== undefined && leftMs > 0 && leftMs <= windowMs ? { ...rate, leftMs } : undefined
  }
  return {
    take: async (name, limit) => {
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
    removeEnded: async ({ now, limit }) => {
      const ended = rates.filter(({ endsMs }) => endsMs <= now.getTime()).slice(0, limit)
      for (const { id } of ended) rates.delete(id)
      return ended.length
    },
  }
}
