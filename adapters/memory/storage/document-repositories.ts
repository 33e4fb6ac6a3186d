import {
  type ChunkCounts,
  type ChunkRecord,
  type ChunkRepository,
  type ContextFilter,
  type ContextRepository,
  type DocumentConditions,
  type DocumentRecord,
  type DocumentRepository,
  meetsConditions,
  type UploadRepository,
  type VectorKey,
  type WordVisibility,
} from '../../../src/ports/index.js'
import { type MemoryTables, pageOf, type StoredChunk } from './memory-tables.js'

export function contextRepository({ contexts, accounts, documents }: MemoryTables): ContextRepository {
  const findLive = (id: number) => contexts.find((context) => context.id === id && context.deleted === null)
  const filterLive = ({ accountId, visibleTo }: ContextFilter) =>
    contexts.filter((context) => {
      if (context.accountId !== accountId || context.deleted !== null) return false
      return visibleTo === undefined || context.userId === visibleTo || context.shareState === 1
    })
  return {
    insert: async (context) => contexts.insert(context),
    get: async (id) => findLive(id),
    // Transactions run one after the other.
    lock: async () => undefined,
    list: async (filter, page) => pageOf(filterLive(filter), page),
    listIds: async (filter, page) => pageOf(filterLive(filter), page).map(({ id }) => id),
    count: async (companyId) =>
      contexts.filter(({ accountId, deleted }) => {
        const account = accounts.get(accountId)
        return deleted === null && account?.deleted === null && account.companyId === companyId
      }).length,
    update: async (id, changes) => {
      if (findLive(id)) contexts.update(id, changes)
      return findLive(id)
    },
    page: async ({ after, limit }) => contexts.filter(({ id }) => id > after).slice(0, limit),
    deleteMadeBy: async (userId, deleted) => {
      const ofUser = contexts.filter((context) => context.userId === userId && context.deleted === null)
      const erasedTexts = { description: '', caption: '', toolsJson: '[]', starterPrompts: [] }
      for (const { id } of ofUser) contexts.update(id, { ...erasedTexts, deleted })
      return ofUser.map(({ id, accountId }) => ({ id, accountId }))
    },
    isDeleted: async (id) => (contexts.get(id)?.deleted ?? null) !== null,
    listDeleted: async () => contexts.filter((context) => context.deleted !== null).map(({ id }) => id),
    listWithoutWords: async (version) => {
      const withoutWords = documents.filter(
        ({ completed, deleted, wordsVersion }) => completed !== null && deleted === null && wordsVersion !== version,
      )
      const ids = new Set(withoutWords.map(({ contextId }) => contextId))
      return contexts.filter(({ id, deleted }) => deleted === null && ids.has(id)).map(({ id }) => id)
    },
    remove: async (id) => {
      contexts.delete(id)
    },
  }
}

export function documentRepository({ documents }: MemoryTables): DocumentRepository {
  const filterLive = (passes: (document: DocumentRecord) => boolean) =>
    documents.filter((document) => document.deleted === null && passes(document))
  const liveOfContext = (contextId: number) => filterLive((document) => document.contextId === contextId)
  const liveMeeting = (contextId: number, conditions: DocumentConditions | undefined) =>
    liveOfContext(contextId).filter((document) => meetsConditions(document, conditions))
  const readVisibility = (contextId: number, isVisible: (document: DocumentRecord) => boolean) => {
    const rows = documents.filter((document) => document.contextId === contextId)
    const visible = rows.filter(isVisible).map(({ id }) => id)
    const hidden = rows.filter((document) => !isVisible(document)).map(({ id }) => id)
    const lastId = Math.max(0, ...documents.filter().map(({ id }) => id))
    return { lastId, hidden, ...(visible.length < hidden.length && { visible }) }
  }
  return {
    insert: async (document) => {
      const inserted = documents.insert({ publicId: 0, ...document })
      if (document.publicId !== undefined) return inserted
      documents.update(inserted.id, { publicId: inserted.id })
      return { ...inserted, publicId: inserted.id }
    },
    get: async (id) => filterLive((document) => document.id === id)[0],
    getByUuid: async (uuid) => filterLive((document) => document.uuid === uuid)[0],
    list: async (contextId, page, conditions) => pageOf(liveMeeting(contextId, conditions), page),
    listLiveIds: async (contextId, page, conditions) =>
      pageOf(liveMeeting(contextId, conditions), page).map(({ id }) => id),
    matching: async (contextId, conditions) =>
      documents
        .filter((document) => document.contextId === contextId && meetsConditions(document, conditions))
        .map(({ id }) => id),
    count: async (contextId) => liveOfContext(contextId).length,
    findSame: async (contextId, contentHash, originalName) =>
      filterLive(
        (document) =>
          document.contextId === contextId &&
          document.contentHash === contentHash &&
          document.originalName === originalName,
      )[0],
    largestBytes: async (contextId, name) => {
      const named = liveOfContext(contextId).filter(({ originalName }) => name === undefined || originalName === name)
      return Math.max(0, ...named.map(({ sizeBytes }) => sizeBytes))
    },
    nextNameIndex: async (contextId, originalName) => {
      const sameName = filterLive(
        (document) => document.contextId === contextId && document.originalName === originalName,
      )
      return Math.max(-1, ...sameName.map(({ nameIndex }) => nameIndex)) + 1
    },
    update: async (id, changes) =>
      filterLive((document) => document.id === id).length > 0 && documents.update(id, changes),
    describe: async (publicId, changes) => {
      for (const { id } of filterLive((document) => document.publicId === publicId)) documents.update(id, changes)
    },
    deleteOfContext: async (contextId, deleted) => {
      for (const { id } of liveOfContext(contextId)) documents.update(id, { deleted })
    },
    listUnfinished: async () => filterLive(({ completed, error }) => completed === null && error === null),
    listDeleted: async (contextId) =>
      documents
        .filter(
          (document) => document.deleted !== null && (contextId === undefined || document.contextId === contextId),
        )
        .map(({ id, uuid, contextId: owner }) => ({ id, uuid, contextId: owner })),
    visibility: async (contextId) =>
      readVisibility(contextId, ({ completed, deleted }) => completed !== null && deleted === null),
    wordVisibility: async (contextId, { version, findsEarly }) =>
      readVisibility(contextId, (document) => {
        return document.deleted === null && document.wordsVersion === version && isFindable(document, findsEarly)
      }),
    countStates: async (contextId, version) => {
      const current = liveOfContext(contextId).filter(({ replaces }) => replaces === null)
      const completed = current.filter((document) => document.completed !== null)
      const unfinished = current.filter((document) => document.completed === null)
      const waiting = unfinished.filter(({ error }) => error === null)
      return {
        completed: completed.length,
        completedWithoutWords: completed.filter(({ wordsVersion }) => wordsVersion !== version).length,
        waiting: waiting.length,
        waitingWithWords: waiting.filter(({ wordsVersion }) => wordsVersion === version).length,
        failed: unfinished.length - waiting.length,
      }
    },
    listWithoutWords: async (contextId, version, page) =>
      pageOf(
        liveOfContext(contextId).filter(
          ({ completed, wordsVersion }) => completed !== null && wordsVersion !== version,
        ),
        page,
      ).map(({ id }) => id),
    listIds: async (contextId, { after, limit }) =>
      documents
        .filter((document) => document.contextId === contextId && document.id > after)
        .map(({ id }) => id)
        .slice(0, limit),
    find: async (ids) => {
      const wanted = new Set(ids)
      return documents.filter(({ id }) => wanted.has(id))
    },
    existing: async (ids) => new Set(ids.filter((id) => documents.get(id) !== undefined)),
    remove: async (id) => {
      documents.delete(id)
    },
  }
}

/** True if a document is completed, or may be found before that. */
function isFindable({ completed, error }: DocumentRecord, findsEarly: boolean): boolean {
  return completed !== null || (findsEarly && error === null)
}

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
      const stored = documents.filter((document) => document.contextId === contextId && document.deleted === null)
      const unexpired = uploads.filter((upload) => upload.contextId === contextId && upload.expiresMs > Date.now())
      return [...stored, ...unexpired].reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0)
    },
    claimed: async (uuids) =>
      new Set(uuids.filter((uuid) => findUnexpired(uuid) ?? documents.find((document) => document.uuid === uuid))),
    countExpired: async () => uploads.filter(({ expiresMs }) => expiresMs <= Date.now()).length,
    removeExpired: async ({ all }) => {
      for (const upload of uploads.filter(({ expiresMs }) => all || expiresMs <= Date.now())) uploads.delete(upload.id)
    },
  }
}

export function chunkRepository({ chunks, documents, contexts }: MemoryTables): ChunkRepository {
  const isVisible = ({ documentId }: StoredChunk, byWords?: WordVisibility) => {
    const document = documents.get(documentId)
    if (document?.deleted !== null || contexts.get(document.contextId)?.deleted !== null) return false
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
      const found = new Map<string, VectorKey>()
      const live = documents.filter((document) => document.contextId === contextId && document.deleted === null)
      const embeddedCounts = new Map(live.map(({ id, embeddedChunks }) => [id, embeddedChunks]))
      const chunksWithVectors = chunks.filter(
        ({ documentId, ordinal }) => ordinal < (embeddedCounts.get(documentId) ?? 0),
      )
      for (const { documentId, ordinal, windows } of chunksWithVectors) {
        windows.forEach(({ hash }, window) => {
          if (wanted.has(hash)) found.set(hash, { documentId, chunk: ordinal, window })
        })
      }
      return found
    },
    remove: async (documentId, { fromOrdinal, limit }) => {
      const last = sortByOrdinal(
        chunks.filter((chunk) => chunk.documentId === documentId && chunk.ordinal >= fromOrdinal),
      ).slice(-limit)
      for (const { id } of last) chunks.delete(id)
      return last.length
    },
  }
}
