import type { RateLimit, RateOutcome, RateRepository } from '../../../src/ports/index.js'
import type { MemoryTables } from './tables.js'

const ALLOWED: RateOutcome = { isAllowed: true, retryAfterMs: 0 }

export function rateRepository({ rates }: MemoryTables): RateRepository {
  const find = (name: string) => rates.find((rate) => rate.name === name)
  const current = (name: string, { windowMs, now }: RateLimit) => {
    const known = find(name)
    const leftMs = (known?.endsMs ?? 0) - now.getTime()
    return known !== undefined && leftMs > 0 && leftMs <= windowMs ? { ...known, leftMs } : undefined
  }
  return {
    take: async (name, limit) => {
      const window = current(name, limit)
      if (window === undefined) {
        const known = find(name)
        if (known !== undefined) rates.delete(known.id)
        rates.insert({ name, endsMs: limit.now.getTime() + limit.windowMs, count: 1 })
        return ALLOWED
      }
      if (window.count >= limit.most) return { isAllowed: false, retryAfterMs: window.leftMs }
      rates.update(window.id, { count: window.count + 1 })
      return ALLOWED
    },
    peek: async (name, limit) => {
      const window = current(name, limit)
      return window === undefined || window.count < limit.most
        ? ALLOWED
        : { isAllowed: false, retryAfterMs: window.leftMs }
    },
    forget: async (name) => {
      const known = find(name)
      if (known !== undefined) rates.delete(known.id)
    },
    removeEnded: async ({ now, limit }) => {
      const ended = rates.filter(({ endsMs }) => endsMs <= now.getTime()).slice(0, limit)
      for (const { id } of ended) rates.delete(id)
      return ended.length
    },
  }
}
