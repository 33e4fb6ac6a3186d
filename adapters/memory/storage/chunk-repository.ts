import type {
  ChunkCounts,
  ChunkRecord,
  ChunkRepository,
  FoundWindow,
  WordVisibility,
} from '../../../src/ports/index.js'
import { isFindable } from './document-repository.js'
import type { MemoryTables, StoredChunk } from './memory-tables.js'

export function chunkRepository({ chunks, documents, contexts }: MemoryTables): ChunkRepository {
  const isVisible = ({ documentId }: StoredChunk, byWords?: WordVisibility) => {
    const document = documents.get(documentId)
    if (
      document?.deleted !== null ||
      document.generation !== null ||
      contexts.get(document.contextId)?.deleted !== null
    )
      return false
    const isEarly = byWords?.findsEarly === true && document.wordsVersion === byWords.version
    return isFindable(document, isEarly)
  }
  const toRecord = ({
    hash: _hash,
    windows: _windows,
    gapBefore: _before,
    gapAfter: _after,
    ...record
  }: StoredChunk): ChunkRecord => record
  const sortByOrdinal = (unsorted: StoredChunk[]) => unsorted.sort((one, other) => one.ordinal - other.ordinal)
  const removeLast = (documentId: number, fromOrdinal: number, limit: number) => {
    const rest = chunks.filter((chunk) => chunk.documentId === documentId && chunk.ordinal >= fromOrdinal)
    return chunks.deleteAll(sortByOrdinal(rest).slice(-limit))
  }
  return {
    insert: async (documentId, newChunks) => {
      for (const chunk of newChunks) chunks.insert({ documentId, ...chunk })
    },
    listHashes: async (documentId, { ordinal, limit }) =>
      sortByOrdinal(chunks.filter((chunk) => chunk.documentId === documentId && chunk.ordinal >= ordinal))
        .slice(0, limit)
        .map(({ hash }) => hash),
    list: async (documentId) =>
      sortByOrdinal(chunks.filter((chunk) => chunk.documentId === documentId && isVisible(chunk))).map(toRecord),
    listFrom: async (documentId, { ordinal, limit }) =>
      sortByOrdinal(
        chunks.filter((chunk) => chunk.documentId === documentId && chunk.ordinal >= ordinal && isVisible(chunk)),
      )
        .slice(0, limit)
        .map(toRecord),
    findVisible: async (contextId, keys, { maxBytes = Infinity, byWords } = {}) =>
      chunks
        .filter(
          (chunk) =>
            keys.some((key) => key.documentId === chunk.documentId && key.ordinal === chunk.ordinal) &&
            documents.get(chunk.documentId)?.contextId === contextId &&
            isVisible(chunk, byWords),
        )
        .map((chunk) => {
          const { content, ...record } = toRecord(chunk)
          const sizeBytes = new TextEncoder().encode(content).length
          const document = documents.get(chunk.documentId)
          return {
            ...record,
            content: sizeBytes > maxBytes ? null : content,
            sizeBytes,
            documentPublicId: document?.publicId ?? 0,
            documentUuid: document?.uuid ?? '',
            originalName: document?.originalName ?? '',
            nameIndex: document?.nameIndex ?? 0,
            displayName: document?.displayName ?? null,
            metadata: document?.metadata ?? {},
            hasVectors: chunk.ordinal < (document?.embeddedChunks ?? 0),
          }
        }),
    page: async (documentId, { ordinal, limit }) =>
      sortByOrdinal(chunks.filter((chunk) => chunk.documentId === documentId && chunk.ordinal >= ordinal))
        .slice(0, limit)
        .map(({ id: _id, documentId: _documentId, ...chunk }) => chunk),
    listWindows: async (keys) =>
      keys.flatMap((key) => {
        const chunk = chunks.find(({ documentId, ordinal }) => documentId === key.documentId && ordinal === key.chunk)
        const window = chunk?.windows[key.window]
        return window === undefined ? [] : [{ ...key, ...window }]
      }),
    count: async (documentIds) => {
      const counts = new Map<number, ChunkCounts>()
      for (const id of documentIds) {
        const stored = sortByOrdinal(chunks.filter((chunk) => chunk.documentId === id))
        if (stored.length === 0) continue
        const windows = stored.reduce((sum, chunk) => sum + chunk.windows.length, 0)
        const isWhole = stored.every((chunk, index) => chunk.ordinal === index && chunk.windows.length > 0)
        counts.set(id, { chunks: stored.length, windows, isWhole })
      }
      return counts
    },
    listOrphans: async (limit) => {
      const owners = new Set(chunks.filter().map(({ documentId }) => documentId))
      return [...owners].filter((id) => documents.get(id) === undefined).slice(0, limit)
    },
    findWindows: async (contextId, hashes) => {
      const wanted = new Set(hashes)
      const found = new Map<string, FoundWindow>()
      const live = documents.filter((document) => document.contextId === contextId && document.deleted === null)
      const byId = new Map(live.map((document) => [document.id, document]))
      const chunksWithVectors = chunks.filter(
        ({ documentId, ordinal }) => ordinal < (byId.get(documentId)?.embeddedChunks ?? 0),
      )
      for (const { documentId, ordinal, windows } of chunksWithVectors) {
        windows.forEach(({ hash }, window) => {
          const generation = byId.get(documentId)?.generation ?? null
          if (wanted.has(hash)) found.set(hash, { documentId, chunk: ordinal, window, generation })
        })
      }
      return found
    },
    remove: async (documentId, { fromOrdinal, limit }) => removeLast(documentId, fromOrdinal, limit),
    removeOf: async (documentIds, limit) => {
      const removed: number[] = []
      let left = limit
      for (const id of [...documentIds].sort((one, other) => one - other)) {
        const count = chunks.filter(({ documentId }) => documentId === id).length
        if (count > left && removed.length > 0) break
        left -= removeLast(id, 0, limit)
        if (count > limit) break
        removed.push(id)
      }
      return removed
    },
  }
}
