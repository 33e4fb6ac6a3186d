import type { ApiKeyRecord } from '../../ports/index.js'

/** Whether a key is neither revoked nor expired. */
export function isUsable({ revoked, expires }: Pick<ApiKeyRecord, 'revoked' | 'expires'>, now: Date): boolean {
  return revoked === null && (expires === null || new Date(expires) > now)
}
