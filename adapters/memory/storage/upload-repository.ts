import { UPLOAD_TTL_BOUND_MS, type UploadRepository } from '../../../src/ports/index.js'
import type { MemoryTables } from './memory-tables.js'

export function uploadRepository({ uploads, documents }: MemoryTables): UploadRepository {
  const findUnexpired = (uuid: string) =>
    uploads.find((upload) => upload.uuid === uuid && upload.expiresMs > Date.now())
  return {
    insert: async (upload, ttlMs) => {
      uploads.insert({ ...upload, expiresMs: Date.now() + ttlMs })
    },
    extend: async (uuid, ttlMs) => {
      const upload = findUnexpired(uuid)
      return upload !== undefined && uploads.update(upload.id, { expiresMs: Date.now() + ttlMs })
    },
    hold: async (uuid, sizeBytes, ttlMs) => {
      const upload = findUnexpired(uuid)
      return upload !== undefined && uploads.update(upload.id, { sizeBytes, expiresMs: Date.now() + ttlMs })
    },
    remove: async (uuid) => {
      const upload = findUnexpired(uuid)
      return upload !== undefined && uploads.delete(upload.id)
    },
    usedBytes: async (contextId) => {
      const stored = documents.filter(
        (document) => document.contextId === contextId && document.deleted === null && document.generation === null,
      )
      const largest = new Map<number, number>()
      for (const { publicId, sizeBytes, excessBytes } of stored) {
        largest.set(publicId, Math.max(sizeBytes + excessBytes, largest.get(publicId) ?? 0))
      }
      const unexpired = uploads.filter((upload) => upload.contextId === contextId && !isExpired(upload))
      return [...largest.values(), ...unexpired.map(({ sizeBytes }) => sizeBytes)].reduce(
        (sum, bytes) => sum + bytes,
        0,
      )
    },
    claimed: async (uuids) =>
      new Set(uuids.filter((uuid) => findUnexpired(uuid) ?? documents.find((document) => document.uuid === uuid))),
    countExpired: async () => uploads.filter(isExpired).length,
    removeExpired: async ({ all }) => {
      uploads.deleteAll(uploads.filter((upload) => all || isExpired(upload)))
    },
  }
}

/** An end that is too far ahead is from before the clock was set back. */
function isExpired({ expiresMs }: { readonly expiresMs: number }): boolean {
  const now = Date.now()
  return expiresMs <= now || expiresMs > now + UPLOAD_TTL_BOUND_MS
}
