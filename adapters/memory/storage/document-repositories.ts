import {
  type ChunkCounts,
  type ChunkRecord,
  type ChunkRepository,
  type ContextFilter,
  type ContextRepository,
  comparePositions,
  type DocumentPage,
  type DocumentPosition,
  type DocumentRecord,
  type DocumentRepository,
  type DocumentSelection,
  type FoundWindow,
  foldedNamesOf,
  isSelected,
  meetsConditions,
  type RowPage,
  StorageError,
  type UploadRepository,
  type WordVisibility,
} from '../../../src/ports/index.js'
import { firstWithin, type MemoryTables, pageOf, type StoredChunk } from './memory-tables.js'

export function contextRepository({ contexts, accounts, documents }: MemoryTables): ContextRepository {
  const findLive = (id: number) => contexts.find((context) => context.id === id && context.deleted === null)
  const filterLive = ({ accountId, visibleTo }: ContextFilter) =>
    contexts.filter((context) => {
      if (context.accountId !== accountId || context.deleted !== null) return false
      return visibleTo === undefined || context.userId === visibleTo || context.shareState === 1
    })
  const filterOfCompany = (companyId: number) =>
    contexts.filter(({ accountId, deleted }) => {
      const account = accounts.get(accountId)
      return deleted === null && account?.deleted === null && account.companyId === companyId
    })
  return {
    insert: async (context) => contexts.insert(context),
    get: async (id) => findLive(id),
    generations: async (id) => {
      const context = findLive(id)
      return context && { generation: context.generation, reindexing: context.reindexing }
    },
    // Transactions run one after the other.
    lock: async () => undefined,
    list: async (filter, page) => pageOf(filterLive(filter), page),
    listIds: async (filter, page) => pageOf(filterLive(filter), page).map(({ id }) => id),
    count: async (companyId) => filterOfCompany(companyId).length,
    measure: async (companyId, most) => {
      const sizes = filterOfCompany(companyId).flatMap(({ id, accountId, userId, maxSizeBytes }) => {
        const ofContext = documents.filter(
          ({ contextId, deleted, replaces }) => contextId === id && deleted === null && replaces === null,
        )
        const sizeBytes = ofContext.reduce((bytes, document) => bytes + document.sizeBytes, 0)
        const size = { id, accountId, userId, maxSizeBytes, documents: ofContext.length, sizeBytes }
        return ofContext.length === 0 ? [] : [size]
      })
      return {
        documents: sizes.reduce((sum, size) => sum + size.documents, 0),
        sizeBytes: sizes.reduce((sum, size) => sum + size.sizeBytes, 0),
        largest: sizes.sort((one, other) => other.sizeBytes - one.sizeBytes || one.id - other.id).slice(0, most),
      }
    },
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
    listAccountsOf: async (userId) => {
      const ofUser = contexts.filter((context) => context.userId === userId && context.deleted === null)
      return [...new Set(ofUser.map(({ accountId }) => accountId))].sort((one, other) => one - other)
    },
    handOver: async ({ accountId, fromUserId, toUserId }, { after, limit }) => {
      const given = contexts
        .filter(
          (context) => context.accountId === accountId && context.userId === fromUserId && context.deleted === null,
        )
        .filter(({ id }) => id > after)
        .slice(0, limit)
      for (const { id } of given) contexts.update(id, { userId: toUserId })
      return given.map(({ id }) => id)
    },
    isDeleted: async (id) => (contexts.get(id)?.deleted ?? null) !== null,
    listDeleted: async () => contexts.filter((context) => context.deleted !== null).map(({ id }) => id),
    listWithoutWords: async (version) => {
      const withoutWords = documents.filter(
        ({ completed, deleted, generation, wordsVersion }) =>
          completed !== null && deleted === null && generation === null && wordsVersion !== version,
      )
      const ids = new Set(withoutWords.map(({ contextId }) => contextId))
      return contexts.filter(({ id, deleted }) => deleted === null && ids.has(id)).map(({ id }) => id)
    },
    remove: async (id) => {
      contexts.delete(id)
    },
  }
}

export function documentRepository({ documents, contexts }: MemoryTables): DocumentRepository {
  const filterWithShadows = (passes: (document: DocumentRecord) => boolean) =>
    documents.filter((document) => document.deleted === null && passes(document))
  const filterLive = (passes: (document: DocumentRecord) => boolean) =>
    filterWithShadows((document) => document.generation === null && passes(document))
  const generationOf = (contextId: number) => contexts.get(contextId)?.generation ?? -1
  const currentOfContext = (contextId: number) =>
    filterLive((document) => document.contextId === contextId && document.replaces === null)
  const byPublicId = (one: DocumentRecord, other: DocumentRecord) => one.publicId - other.publicId
  /** The page of current versions by their public ids. */
  const pageOfContext = (contextId: number, page?: RowPage) => {
    const rows = currentOfContext(contextId).sort(byPublicId)
    const found = pageOf(
      rows.map((document) => ({ ...document, id: document.publicId, version: document.id })),
      page,
    )
    return found.map(({ version, ...document }) => ({ ...document, id: version }))
  }
  const replacementsOf = (contextId: number) =>
    filterLive((document) => document.contextId === contextId && document.replaces !== null).sort(byPublicId)
  const selectedPage = (contextId: number, page: DocumentPage, selection: DocumentSelection = {}) => {
    const { order, after, upTo, limit, maxBytes = Infinity } = page
    const replacements = new Map(replacementsOf(contextId).map((version) => [version.publicId, version]))
    const compare = (one: DocumentPosition, other: DocumentPosition) => comparePositions(order, one, other)
    const listed = currentOfContext(contextId)
      .filter((document) => isSelected(document, replacements.get(document.publicId), selection))
      .map((document) => ({ document, position: order === 'name' ? positionOf(document) : idPositionOf(document) }))
      .filter(({ position }) => after === undefined || compare(position, after) > 0)
      .filter(({ position }) => upTo === undefined || compare(position, upTo) <= 0)
      .sort((one, other) => compare(one.position, other.position))
      .map(({ document }) => document)
    return firstWithin(listed.slice(0, limit), maxBytes)
  }
  const requireOneVersion = ({ id, publicId, replaces }: DocumentRecord) => {
    const isSame = (other: DocumentRecord) =>
      other.id !== id && other.publicId === publicId && (other.replaces === null) === (replaces === null)
    if (filterLive(isSame).length > 0)
      throw new StorageError(`document ${publicId} has such a version already`, { isTransient: false })
  }
  const readVisibility = (contextId: number, isVisible: (document: DocumentRecord) => boolean) => {
    const rows = documents.filter((document) => document.contextId === contextId && document.generation === null)
    const visible = rows.filter(isVisible).map(({ id }) => id)
    const hidden = rows.filter((document) => !isVisible(document)).map(({ id }) => id)
    const lastId = Math.max(0, ...documents.filter().map(({ id }) => id))
    return { lastId, hidden, ...(visible.length < hidden.length && { visible }) }
  }
  return {
    insert: async (document) => {
      const { id } = documents.insert({ publicId: 0, ...document })
      const inserted = { ...document, id, publicId: document.publicId ?? id }
      documents.update(id, { publicId: inserted.publicId })
      if (inserted.deleted === null && inserted.generation === null) requireOneVersion(inserted)
      return inserted
    },
    get: async (id) => filterWithShadows((document) => document.id === id)[0],
    getCurrent: async (publicId) =>
      filterLive((document) => document.publicId === publicId && document.replaces === null)[0],
    getByUuid: async (uuid) => filterLive((document) => document.uuid === uuid)[0],
    list: async (contextId, page) => pageOfContext(contextId, page),
    listPublicIds: async (contextId, page) => pageOfContext(contextId, page).map(({ publicId }) => publicId),
    listPage: async (contextId, page, selection) => selectedPage(contextId, page, selection),
    listPositions: async (contextId, { maxBytes: _, ...page }, selection) =>
      selectedPage(contextId, page, selection).map(positionOf),
    listReplacements: async (contextId, publicIds) =>
      replacementsOf(contextId).filter(({ publicId }) => publicIds?.includes(publicId) ?? true),
    matching: async (contextId, conditions) =>
      documents
        .filter(
          (document) =>
            document.contextId === contextId && document.generation === null && meetsConditions(document, conditions),
        )
        .map(({ id }) => id),
    count: async (contextId) => currentOfContext(contextId).length,
    findSame: async (contextId, contentHash, originalName) =>
      filterLive(
        (document) =>
          document.contextId === contextId &&
          document.replaces === null &&
          document.contentHash === contentHash &&
          document.originalName === originalName,
      )[0],
    largestBytes: async (contextId, name) => {
      const named = currentOfContext(contextId).filter(
        ({ originalName }) => name === undefined || originalName === name,
      )
      return Math.max(0, ...named.map(({ sizeBytes }) => sizeBytes))
    },
    nextNameIndex: async (contextId, originalName, { exceptPublicId } = {}) => {
      const sameName = filterLive(
        (document) =>
          document.contextId === contextId &&
          document.originalName === originalName &&
          document.publicId !== exceptPublicId,
      )
      return Math.max(-1, ...sameName.map(({ nameIndex }) => nameIndex)) + 1
    },
    // Transactions run one after the other.
    lock: async (id) => filterWithShadows((document) => document.id === id).length > 0,
    update: async (id, changes) => {
      const [document] = filterWithShadows((live) => live.id === id)
      if (document === undefined) return false
      const changed = { ...document, ...changes }
      if (changed.deleted === null && changed.generation === null) requireOneVersion(changed)
      return documents.update(id, changes)
    },
    deleteOfContext: async (contextId, deleted) => {
      for (const { id } of filterWithShadows((document) => document.contextId === contextId))
        documents.update(id, { deleted })
    },
    listUnfinished: async () => filterLive(({ completed, error }) => completed === null && error === null),
    listDeleted: async (contextId) =>
      documents
        .filter(
          (document) => document.deleted !== null && (contextId === undefined || document.contextId === contextId),
        )
        .map(({ id, uuid, contextId: owner, generation }) => ({ id, uuid, contextId: owner, generation })),
    isFileInUse: async (uuid) => filterWithShadows((document) => document.uuid === uuid).length > 0,
    visibility: async (contextId) =>
      readVisibility(contextId, ({ completed, deleted }) => completed !== null && deleted === null),
    wordVisibility: async (contextId, { version, findsEarly }) =>
      readVisibility(contextId, (document) => {
        return document.deleted === null && document.wordsVersion === version && isFindable(document, findsEarly)
      }),
    countStates: async (contextId, version) => {
      const current = currentOfContext(contextId)
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
    markVersions: async (contextId) => ({
      lastId: Math.max(0, ...documents.filter().map(({ id }) => id)),
      replacements: filterLive(({ contextId: owner, replaces }) => owner === contextId && replaces !== null).map(
        ({ id }) => id,
      ),
      generation: generationOf(contextId),
    }),
    hasNewVersions: async (contextId, { lastId, replacements, generation }) =>
      generationOf(contextId) !== generation ||
      currentOfContext(contextId).some(
        ({ id, publicId, completed }) =>
          id !== publicId && completed !== null && (id > lastId || replacements.includes(id)),
      ),
    listWithoutWords: async (contextId, version, page) =>
      pageOf(
        currentOfContext(contextId).filter(
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

/** A position without the name, which takes time to fold. */
function idPositionOf({ publicId }: DocumentRecord): DocumentPosition {
  return { publicId, foldedName: '' }
}

function positionOf(document: DocumentRecord): DocumentPosition {
  return { publicId: document.publicId, foldedName: foldedNamesOf(document).shown }
}

/** True if a document is completed, or may be found before that. */
function isFindable({ completed, error, replaces }: DocumentRecord, findsEarly: boolean): boolean {
  return completed !== null || (findsEarly && error === null && replaces === null)
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
      const stored = documents.filter(
        (document) => document.contextId === contextId && document.deleted === null && document.generation === null,
      )
      const largest = new Map<number, number>()
      for (const { publicId, sizeBytes } of stored) {
        largest.set(publicId, Math.max(sizeBytes, largest.get(publicId) ?? 0))
      }
      const unexpired = uploads.filter((upload) => upload.contextId === contextId && upload.expiresMs > Date.now())
      return [...largest.values(), ...unexpired.map(({ sizeBytes }) => sizeBytes)].reduce(
        (sum, bytes) => sum + bytes,
        0,
      )
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
    remove: async (documentId, { fromOrdinal, limit }) => {
      const last = sortByOrdinal(
        chunks.filter((chunk) => chunk.documentId === documentId && chunk.ordinal >= fromOrdinal),
      ).slice(-limit)
      for (const { id } of last) chunks.delete(id)
      return last.length
    },
  }
}
