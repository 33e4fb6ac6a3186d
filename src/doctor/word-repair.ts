import { countWithoutWords, enqueueWords, INDEX_WORDS } from '../documents/index.js'
import { inBatches } from '../kernel/batches.js'
import { pause } from '../kernel/scheduling/abort.js'
import type { LexicalIndex, Storage } from '../ports/index.js'
import { documentIdPages } from './document-ids.js'
import { type Finding, versionIdOf } from './finding.js'

const DOCUMENTS_PER_TRANSACTION = 100
const POLL_MS = 100
/**
 * Jobs for one context. One job may not be enough: a job that is almost finished does not see documents that are reset
 * now, and a job may fail for good.
 */
const MAX_JOBS = 3
/** A job that is due later than this has failed several times, or has found a full disk: the repair does not wait. */
const MAX_JOB_DELAY_MS = 120_000

/** Ids of the documents whose words are to be indexed a second time, by context id. */
type ReindexedDocuments = Map<number, Set<number>>

interface WordRepairOptions {
  readonly signal: AbortSignal
  /** Waits until no backup runs. */
  readonly untilNoBackup: () => Promise<void>
  /** Notifies the workers of new jobs. */
  readonly wake: () => void
  /** Receives the number of documents that are indexed, and of those to index. */
  readonly onProgress: (documents: number, total: number) => void
}

/** @returns false if the index cannot drop it: then a person must check the files, and the problem stays reported */
export async function tryDrop(
  index: { readonly drop: (collection: string) => Promise<void> },
  collection: string,
): Promise<boolean> {
  return await index.drop(collection).then(
    () => true,
    () => false,
  )
}

/** Has words indexed a second time by the engine's own job: from stored chunks, without files and models. */
export class WordRepair {
  constructor(
    private readonly storage: Storage,
    private readonly index: LexicalIndex,
  ) {}

  /** Removes damaged collections and words without a document, and enqueues the indexing of the others. */
  async start(findings: readonly Finding[], options: WordRepairOptions): Promise<ReindexedDocuments> {
    const reindexed: ReindexedDocuments = new Map()
    for (const finding of findings) {
      const { repairKind } = finding
      const { contextId = 0, collection = '' } = finding.subject
      const versionId = versionIdOf(finding)
      if (repairKind === 'remove-words') {
        await options.untilNoBackup()
        await this.index.deleteDocument(collection, versionId ?? 0, 0)
      }
      if (repairKind === 'index-words') addDocuments(reindexed, contextId, versionId === undefined ? [] : [versionId])
      if (repairKind !== 'drop-words') continue
      await options.untilNoBackup()
      if (await tryDrop(this.index, collection)) addDocuments(reindexed, contextId, await this.#documentsIn(contextId))
    }
    for (const [contextId, ids] of reindexed) await this.#enqueue(contextId, [...ids], options)
    return reindexed
  }

  /**
   * Waits until the documents are indexed, then removes words of older versions of the analyzer.
   * @returns ids of the contexts whose words could not be indexed
   */
  async finish(
    reindexed: ReindexedDocuments,
    findings: readonly Finding[],
    options: WordRepairOptions,
  ): Promise<ReadonlySet<number>> {
    const failed = new Set<number>()
    let indexed = 0
    let total = [...reindexed.values()].reduce((sum, ids) => sum + ids.size, 0)
    for (const [contextId, ids] of reindexed) {
      let ofContext = ids.size
      const isIndexed = await this.#untilIndexed(contextId, options, (left) => {
        // The context may have more: documents that were never indexed become known by this count.
        total += Math.max(0, left - ofContext)
        ofContext = Math.max(ofContext, left)
        options.onProgress(indexed + ofContext - left, total)
      })
      indexed += ofContext
      if (!isIndexed) {
        failed.add(contextId)
        continue
      }
      for (const { code, subject } of findings) {
        if (code !== 'words-of-other-version' || subject.contextId !== contextId) continue
        await options.untilNoBackup()
        await this.index.drop(subject.collection ?? '')
      }
    }
    return failed
  }

  /** Ids of all versions, also of those that are not completed: their words were in the collection too. */
  async #documentsIn(contextId: number): Promise<number[]> {
    const found: number[] = []
    for await (const ids of documentIdPages(this.storage, contextId)) found.push(...ids)
    return found
  }

  /** Enqueues the indexing of a context's words, and resets the version of the words on its documents. */
  async #enqueue(
    contextId: number,
    ids: readonly number[],
    { signal, untilNoBackup }: WordRepairOptions,
  ): Promise<void> {
    // Once for a context without such documents, too: it may have documents that were never indexed.
    for (const part of ids.length === 0 ? [[]] : inBatches(ids, DOCUMENTS_PER_TRANSACTION)) {
      signal.throwIfAborted()
      await untilNoBackup()
      await this.storage.transaction(async (repositories) => {
        if ((await repositories.contexts.get(contextId)) === undefined) return
        await enqueueWords(repositories, contextId)
        for (const id of part) {
          // The words of a shadow are in another collection.
          if ((await repositories.documents.get(id))?.generation !== null) continue
          await repositories.documents.update(id, { wordsVersion: null })
        }
      })
    }
  }

  /** @returns true once all documents of the context are indexed; false if the repair no longer waits for that */
  async #untilIndexed(
    contextId: number,
    { signal, wake }: WordRepairOptions,
    onLeft: (documents: number) => void,
  ): Promise<boolean> {
    for (let jobs = 1; ; ) {
      const { left, dueInMs } = await this.#progressOf(contextId)
      onLeft(left)
      if (dueInMs === undefined && left === 0) return true
      if ((dueInMs ?? 0) > MAX_JOB_DELAY_MS) return false
      if (dueInMs === undefined) {
        if (jobs === MAX_JOBS) return false
        jobs += 1
        await this.storage.transaction(async (repositories) => enqueueWords(repositories, contextId))
      }
      wake()
      await pause(POLL_MS, signal)
    }
  }

  /** The documents that are not indexed, and the time until their job is due; undefined if no job exists. */
  async #progressOf(contextId: number): Promise<{ readonly left: number; readonly dueInMs: number | undefined }> {
    const left = await countWithoutWords(this.storage, contextId)
    const lanes = await this.storage.read(({ jobs }) => jobs.waiting([INDEX_WORDS]))
    return { left, dueInMs: lanes.find(({ lane }) => lane === contextId)?.dueInMs }
  }
}

function addDocuments(reindexed: ReindexedDocuments, contextId: number, ids: readonly number[]): void {
  const ofContext = reindexed.get(contextId) ?? new Set()
  reindexed.set(contextId, ofContext)
  for (const id of ids) ofContext.add(id)
}
