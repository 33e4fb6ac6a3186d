import type { RevokedTokenRepository } from '../../../src/ports/index.js'
import type { MemoryTables } from './tables.js'

export function revokedTokenRepository({ revokedTokens }: MemoryTables): RevokedTokenRepository {
  const find = (tokenHash: string) => revokedTokens.find((token) => token.tokenHash === tokenHash)
  return {
    add: async (token) => {
      if (find(token.tokenHash) !== undefined) return false
      revokedTokens.insert(token)
      return true
    },
    has: async (tokenHash) => find(tokenHash) !== undefined,
    removeExpired: async ({ now, limit }) => {
      const expired = revokedTokens.filter(({ expiresMs }) => expiresMs <= now.getTime()).slice(0, limit)
      for (const { id } of expired) revokedTokens.delete(id)
      return expired.length
    },
  }
}
