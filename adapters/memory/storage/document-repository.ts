import {
  comparePositions,
  type DocumentPage,
  type DocumentPosition,
  type DocumentRecord,
  type DocumentRepository,
  type DocumentSelection,
  foldedNamesOf,
  isSelected,
  type LanguageCount,
  passesFilter,
  StorageError,
  type VersionMark,
} from '../../../src/ports/index.js'
import { firstWithin, type MemoryTables, pageOf } from './memory-tables.js'

export function documentRepository({ documents, contexts }: MemoryTables): DocumentRepository {
  const filterWithShadows = (passes: (document: DocumentRecord) => boolean) =>
    documents.filter((document) => document.deleted === null && passes(document))
  const filterLive = (passes: (document: DocumentRecord) => boolean) =>
    filterWithShadows((document) => document.generation === null && passes(document))
  const generationOf = (contextId: number) => contexts.get(contextId)?.generation ?? -1
  const currentOfContext = (contextId: number) =>
    filterLive((document) => document.contextId === contextId && document.replaces === null)
  const byPublicId = (one: DocumentRecord, other: DocumentRecord) => one.publicId - other.publicId
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
  const lastId = () => Math.max(0, ...documents.filter().map(({ id }) => id))
  const readVisibility = (contextId: number, isVisible: (document: DocumentRecord) => boolean) => {
    const rows = documents.filter((document) => document.contextId === contextId && document.generation === null)
    const visible = rows.filter(isVisible).map(({ id }) => id)
    const hidden = rows.filter((document) => !isVisible(document)).map(({ id }) => id)
    return { lastId: lastId(), hidden, ...(visible.length < hidden.length && { visible }) }
  }
  const markVersions = (contextId: number): VersionMark => ({
    lastId: lastId(),
    replacements: filterLive(({ contextId: owner, replaces }) => owner === contextId && replaces !== null).map(
      ({ id }) => id,
    ),
    generation: generationOf(contextId),
  })
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
    listPublicIds: async (contextId, { after, limit }) =>
      selectedPage(contextId, { order: 'oldest', after: { publicId: after, foldedName: '' }, limit }).map(
        ({ publicId }) => publicId,
      ),
    listPage: async (contextId, page, selection) => selectedPage(contextId, page, selection),
    listPositions: async (contextId, { maxBytes: _, ...page }, selection) =>
      selectedPage(contextId, page, selection).map(positionOf),
    listReplacements: async (contextId, publicIds) =>
      replacementsOf(contextId).filter(({ publicId }) => publicIds?.includes(publicId) ?? true),
    filtered: async (contextId, filter) =>
      documents
        .filter(
          (document) =>
            document.contextId === contextId && document.generation === null && passesFilter(document, filter),
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
    filesInUse: async (uuids) => {
      const wanted = new Set(uuids)
      return new Set(filterWithShadows(({ uuid }) => wanted.has(uuid)).map(({ uuid }) => uuid))
    },
    searchable: async (contextId, words) => {
      const mark = markVersions(contextId)
      const byMeaning = readVisibility(contextId, ({ completed, deleted }) => completed !== null && deleted === null)
      if (words === undefined) return { mark, byMeaning }
      const { version, findsEarly } = words
      const byWords = readVisibility(contextId, (document) => {
        return document.deleted === null && document.wordsVersion === version && isFindable(document, findsEarly)
      })
      return { mark, byMeaning, byWords }
    },
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
    countLanguages: async (contextId) => {
      const counts = new Map<string | null, LanguageCount>()
      for (const { completed, receipt } of currentOfContext(contextId)) {
        if (completed === null || receipt === null) continue
        const { language, windows, durationsMs } = receipt
        const count = counts.get(language) ?? { language, documents: 0, windows: 0, embedMs: 0 }
        counts.set(language, {
          language,
          documents: count.documents + 1,
          windows: count.windows + windows,
          embedMs: count.embedMs + durationsMs.embed,
        })
      }
      return [...counts.values()]
    },
    lastId: async () => lastId(),
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
    remove: async (ids) => {
      for (const id of ids) documents.delete(id)
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
export function isFindable({ completed, error, replaces }: DocumentRecord, findsEarly: boolean): boolean {
  return completed !== null || (findsEarly && error === null && replaces === null)
}
