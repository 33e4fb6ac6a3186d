import { countWithoutWords, enqueueWords, INDEX_WORDS } from '../documents/index.js'
import { pause } from '../kernel/abort.js'
import { inParts } from '../kernel/in-parts.js'
import { pages } from '../kernel/lists.js'
import type { LexicalIndex, Storage } from '../ports/index.js'
import type { Finding } from './finding.js'

const DOCUMENTS_PER_PAGE = 500
const DOCUMENTS_PER_TRANSACTION = 100
const WAIT_MS = 100
/** A job that is at its end when documents are put back does not see them; nor does one that has failed for good. */
const MOST_JOBS = 3
/** A job that is due later than that has failed again and again, or has found a disk full. */
const LONGEST_WAIT_MS = 120_000

/** Documents that are put back, by context: their words are indexed again. */
type Forgotten = Map<number, Set<number>>

interface WordRepairOptions {
  readonly signal: AbortSignal
  /** Waits while a backup is made. */
  readonly untilNoBackup: () => Promise<void>
  /** Tells that there is work. */
  readonly wake: () => void
  /** Told how many of how many documents are indexed again. */
  readonly onProgress: (documents: number, total: number) => void
}

/** Has words indexed again, by the engine's own job: from stored chunks, so that neither files nor models are needed. */
export class WordRepair {
  readonly #storage: Storage
  readonly #index: LexicalIndex

  constructor(storage: Storage, index: LexicalIndex) {
    this.#storage = storage
    this.#index = index
  }

  /** Removes damaged collections and rows that belong to no document, and puts back what has to be indexed again. */
  async begin(findings: readonly Finding[], options: WordRepairOptions): Promise<Forgotten> {
    const forgotten: Forgotten = new Map()
    for (const { mend, subject } of findings) {
      const { contextId = 0, documentId, collection = '' } = subject
      if (mend === 'remove-words') {
        await options.untilNoBackup()
        await this.#index.deleteDocument(collection, documentId ?? 0, 0)
      }
      if (mend === 'index-words') add(forgotten, contextId, documentId === undefined ? [] : [documentId])
      if (mend !== 'drop-words') continue
      await options.untilNoBackup()
      if (await this.#drop(collection)) add(forgotten, contextId, await this.#documentsIn(contextId))
    }
    for (const [contextId, ids] of forgotten) await this.#forget(contextId, [...ids], options)
    return forgotten
  }

  /**
   * Waits until what was put back is indexed; removes what older versions of the analyzer have made.
   * @returns the contexts whose words could not be indexed
   */
  async finish(
    forgotten: Forgotten,
    findings: readonly Finding[],
    options: WordRepairOptions,
  ): Promise<ReadonlySet<number>> {
    const failed = new Set<number>()
    let done = 0
    // Those that were not indexed before are known when they are counted.
    let total = [...forgotten.values()].reduce((sum, ids) => sum + ids.size, 0)
    for (const [contextId, ids] of forgotten) {
      let ofContext = ids.size
      const isIndexed = await this.#untilIndexed(contextId, options, (left) => {
        total += Math.max(0, left - ofContext)
        ofContext = Math.max(ofContext, left)
        options.onProgress(done + ofContext - left, total)
      })
      done += ofContext
      if (!isIndexed) failed.add(contextId)
      if (!isIndexed) continue
      const outdated = findings.filter(({ code, subject }) => {
        return code === 'words-of-other-version' && subject.contextId === contextId
      })
      for (const { subject } of outdated) {
        await options.untilNoBackup()
        await this.#index.drop(subject.collection ?? '')
      }
    }
    return failed
  }

  /** Where even that fails, the files are for a person to look at, and the problem is told again. */
  async #drop(collection: string): Promise<boolean> {
    return await this.#index.drop(collection).then(
      () => true,
      () => false,
    )
  }

  /** Also those that are not completed yet: what they have was in the collection. */
  async #documentsIn(contextId: number): Promise<number[]> {
    const found: number[] = []
    const listed = pages(DOCUMENTS_PER_PAGE, async (page) => {
      return await this.#storage.read(({ documents }) => documents.listLiveIds(contextId, page))
    })
    for await (const ids of listed) found.push(...ids)
    return found
  }

  async #forget(
    contextId: number,
    ids: readonly number[],
    { signal, untilNoBackup }: WordRepairOptions,
  ): Promise<void> {
    // Once for a context without any, too: what it has may be outdated.
    for (const part of ids.length === 0 ? [[]] : inParts(ids, DOCUMENTS_PER_TRANSACTION)) {
      signal.throwIfAborted()
      await untilNoBackup()
      await this.#storage.transaction(async (repositories) => {
        if ((await repositories.contexts.get(contextId)) === undefined) return
        await enqueueWords(repositories, contextId)
        for (const id of part) await repositories.documents.update(id, { wordsVersion: null })
      })
    }
  }

  /** @returns whether all documents of the context are indexed */
  async #untilIndexed(
    contextId: number,
    { signal, wake }: WordRepairOptions,
    onLeft: (documents: number) => void,
  ): Promise<boolean> {
    for (let jobs = 1; ; ) {
      const { left, dueInMs } = await this.#stateOf(contextId)
      onLeft(left)
      if (dueInMs === undefined && left === 0) return true
      if ((dueInMs ?? 0) > LONGEST_WAIT_MS) return false
      if (dueInMs === undefined) {
        if (jobs === MOST_JOBS) return false
        jobs += 1
        await this.#storage.transaction(async (repositories) => enqueueWords(repositories, contextId))
      }
      wake()
      await pause(WAIT_MS, signal)
    }
  }

  /** Documents that are not indexed, and when their job can be taken; undefined where there is none. */
  async #stateOf(contextId: number): Promise<{ readonly left: number; readonly dueInMs: number | undefined }> {
    const left = await countWithoutWords(this.#storage, contextId)
    const lanes = await this.#storage.read(({ jobs }) => jobs.waiting([INDEX_WORDS]))
    return { left, dueInMs: lanes.find(({ lane }) => lane === contextId)?.dueInMs }
  }
}

function add(forgotten: Forgotten, contextId: number, ids: readonly number[]): void {
  const ofContext = forgotten.get(contextId) ?? new Set()
  forgotten.set(contextId, ofContext)
  for (const id of ids) ofContext.add(id)
}
