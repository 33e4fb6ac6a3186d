import { ANALYZER_VERSION } from '../../analysis/index.js'
import { enqueueReindex, REINDEX_CONTEXT } from '../../contexts/index.js'
import type { JobHandler, JobRun } from '../../jobs/index.js'
import { pause } from '../../kernel/scheduling/abort.js'
import type {
  Clock,
  ContextReindexing,
  NewJob,
  Repositories,
  Storage,
  SwitchedVersions,
  Telemetry,
  UncompletedShadow,
} from '../../ports/index.js'
import {
  companyOfContext,
  enqueueWords,
  INGEST_DOCUMENT,
  ingestionJob,
  PURGE_DOCUMENT,
  shadowLaneOf,
} from '../document-jobs.js'
import type { DocumentEventEmitter } from '../watch/document-events.js'
import type { FormerGenerations } from './former-generations.js'

/** Shadows that wait or are processed at a time. The queue is short, so that a re-index that ends leaves little. */
const MOST_WAITING = 64
/** More shadows are added when so few are left. */
const REFILL_AT = 32
/** Time of one turn. Then the context waits behind others. */
const TURN_MS = 30_000
const [SHORTEST_POLL_MS, LONGEST_POLL_MS] = [25, 200]
const RETRY_MS = 60_000

/** The result of one step of a re-index. */
type Step = 'ended' | 'progress' | 'waiting' | 'processed'

/** The knowledge of a run from its earlier steps. */
interface Progress {
  isFirst: boolean
  /** The generation that it builds; undefined before the first step, and without a re-index. */
  generation: number | undefined
  /** True if each completed document had a shadow. Those that were completed since get theirs before the switch. */
  isExhausted: boolean
}

interface Advance {
  readonly step: Step
  /** Number of new jobs. */
  readonly enqueued: number
  /** Ids of the shadows that must no longer be processed. */
  readonly abandoned: readonly number[]
  readonly generation: number | undefined
  readonly isExhausted: boolean
}

interface SwitchedContext extends Pick<SwitchedVersions, 'unprocessed'> {
  readonly reindexing: ContextReindexing
}

/** Thrown to roll back a switch for which a document is not ready. */
class NotReadyError extends Error {}

/**
 * Re-indexes a context: makes a shadow of each document, in the next generation, and lets the usual jobs process them.
 * Once all are completed, one transaction makes them the documents. Then, or after a cancellation, it removes the former
 * generation. Each run continues where the last one ended.
 */
export class ReindexContext implements JobHandler {
  readonly kind: string = REINDEX_CONTEXT
  /** Tells the workers of this process about new jobs, and about versions whose runs must end. */
  onJobsChanged: (abandonedIds?: readonly number[]) => void = () => undefined

  constructor(
    private readonly storage: Storage,
    private readonly former: FormerGenerations,
    private readonly events: DocumentEventEmitter,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
  ) {}

  async run(job: JobRun): Promise<void> {
    const contextId = job.subject
    const companyId = await this.storage.read((repositories) => companyOfContext(repositories, contextId))
    const endsAt = performance.now() + TURN_MS
    let pollMs = SHORTEST_POLL_MS
    for (
      const progress: Progress = { isFirst: true, generation: undefined, isExhausted: false };
      ;
      progress.isFirst = false
    ) {
      const step = (await this.#look(contextId, progress)) ?? (await this.#advance(job, companyId, progress))
      if (step === 'ended' || (step === 'processed' && (await this.#switch(job, companyId, progress.generation)))) break
      if (performance.now() > endsAt) {
        await job.complete(async (repositories) => await enqueueReindex(repositories, contextId, { companyId }))
        this.onJobsChanged()
        return
      }
      pollMs = step === 'progress' ? SHORTEST_POLL_MS : Math.min(LONGEST_POLL_MS, pollMs * 2)
      await pause(pollMs, job.signal)
    }
    await this.former.remove(job, contextId)
    await job.complete(async (repositories) => {
      // A change of the settings locks this job first. So either this read sees the change, or the change enqueues the
      // job after this transaction.
      await repositories.contexts.lock(contextId)
      const reindexing = (await repositories.contexts.generations(contextId))?.reindexing ?? null
      if (reindexing?.error === null) await enqueueReindex(repositories, contextId, { companyId })
    })
  }

  /** A failure may pass. */
  async fail(repositories: Repositories, contextId: number): Promise<void> {
    const { jobs, contexts } = repositories
    if ((await contexts.generations(contextId)) === undefined) return
    const companyId = await companyOfContext(repositories, contextId)
    await enqueueReindex({ jobs }, contextId, { companyId, delayMs: RETRY_MS })
  }

  /** Reads whether there is something to do, so that a wait writes nothing. @returns undefined if there is */
  async #look(contextId: number, { isFirst, isExhausted }: Progress): Promise<Step | undefined> {
    if (isFirst) return undefined
    const { reindexing, uncompleted } = await this.storage.read(async ({ contexts, shadows }) => ({
      reindexing: (await contexts.generations(contextId))?.reindexing ?? null,
      uncompleted: await shadows.listUncompleted(contextId),
    }))
    const isWaiting = ({ generation, error }: UncompletedShadow) =>
      error === null && generation === reindexing?.generation
    if (reindexing === null || !uncompleted.every(isWaiting)) return undefined
    return uncompleted.length > (isExhausted ? 0 : REFILL_AT) ? 'waiting' : undefined
  }

  /** Removes outdated shadows, notices failed ones, and adds new ones. */
  async #advance(job: JobRun, companyId: number | undefined, progress: Progress): Promise<Step> {
    const contextId = job.subject
    const advance = async (repositories: Repositories): Promise<Advance> => {
      const { contexts, shadows, jobs } = repositories
      const reindexing = (await contexts.generations(contextId))?.reindexing ?? null
      const generation = reindexing?.generation
      const uncompleted = await shadows.listUncompleted(contextId)
      const waiting = uncompleted.filter((shadow) => shadow.generation === generation)
      const outdated = uncompleted.filter((shadow) => shadow.generation !== generation)
      const abandoned = outdated.map(({ id }) => id)
      // Completed shadows of another generation may exist without others.
      const isChanged = progress.isFirst || progress.generation !== generation
      if (isChanged || outdated.length > 0) await this.#drop(repositories, contextId, outdated, reindexing)
      if (reindexing?.error !== null) return { step: 'ended', enqueued: 0, abandoned, generation, isExhausted: true }
      const failed = waiting.find(({ error }) => error !== null)
      if (failed !== undefined) {
        const step = await this.#end(repositories, contextId, failed)
        return { step, enqueued: 0, abandoned: waiting.map(({ id }) => id), generation, isExhausted: true }
      }
      const free = waiting.length > REFILL_AT ? 0 : MOST_WAITING - waiting.length
      const added = free === 0 ? [] : await shadows.insert(contextId, reindexing.generation, free)
      // A crash or a repair may have removed jobs.
      const newJobs = [...(progress.isFirst ? waiting.map(({ id }) => id) : []), ...added].map(
        (id): NewJob => ({ ...ingestionJob({ id, contextId }, companyId), lane: shadowLaneOf(contextId) }),
      )
      await jobs.enqueueAll(newJobs)
      const isWaiting = waiting.length + added.length > 0
      const step = added.length > 0 ? 'progress' : isWaiting ? 'waiting' : 'processed'
      return { step, enqueued: newJobs.length, abandoned, generation, isExhausted: free > 0 && added.length < free }
    }
    const { step, enqueued, abandoned, generation, isExhausted } = await job.transaction(advance, { isProgress: true })
    progress.isExhausted = isExhausted
    progress.generation = generation
    if (enqueued + abandoned.length > 0) this.onJobsChanged(abandoned)
    return step
  }

  /** Deletes the shadows of a re-index that was cancelled or changed. */
  async #drop(
    { jobs, shadows }: Repositories,
    contextId: number,
    outdated: readonly UncompletedShadow[],
    reindexing: ContextReindexing | null,
  ): Promise<void> {
    await jobs.cancelAll(outdated.map(({ id: subject }) => ({ kind: INGEST_DOCUMENT, subject })))
    await shadows.delete(contextId, { exceptGeneration: reindexing?.generation }, this.clock.now().toISOString())
  }

  /** Ends the re-index with the failure of a document. Its other shadows stay, for another try. */
  async #end(
    { contexts, jobs }: Repositories,
    contextId: number,
    { originalName, generation, error }: UncompletedShadow,
  ): Promise<Step> {
    await contexts.lock(contextId)
    const reindexing = (await contexts.generations(contextId))?.reindexing ?? null
    if (reindexing?.error !== null || reindexing.generation !== generation) return 'waiting'
    await jobs.cancelLane(INGEST_DOCUMENT, shadowLaneOf(contextId))
    await contexts.update(contextId, { reindexing: { ...reindexing, error: `${originalName}: ${error ?? ''}` } })
    return 'ended'
  }

  /** @returns false if a document is not ready, or the settings were changed meanwhile */
  async #switch(job: JobRun, companyId: number | undefined, processed: number | undefined): Promise<boolean> {
    const contextId = job.subject
    const startedAt = performance.now()
    const switched = await this.#trySwitch(job, companyId, processed)
    if (switched === undefined) return false
    const { reindexing, unprocessed } = switched
    this.onJobsChanged(unprocessed)
    const { generation, started } = reindexing
    this.events.emit('context.reindexed', { contextId })
    const totalMs = this.clock.now().getTime() - Date.parse(started)
    this.telemetry.record({
      name: 'ingestion.reindexed',
      level: 'info',
      durationMs: performance.now() - startedAt,
      fields: { contextId, generation, totalMs },
    })
    return true
  }

  /** @param processed the generation whose shadows are all completed */
  async #trySwitch(
    job: JobRun,
    companyId: number | undefined,
    processed: number | undefined,
  ): Promise<SwitchedContext | undefined> {
    const contextId = job.subject
    try {
      return await job.transaction(async (repositories) => {
        const { contexts, documents, jobs, shadows } = repositories
        // No upload ends, and no settings change, before the end of this transaction.
        await contexts.lock(contextId)
        const state = await contexts.generations(contextId)
        if (state?.reindexing?.error !== null) return undefined
        const { generation: from, reindexing } = state
        const { generation, embeddingModel, chunkSizeTokens, overlap } = reindexing
        // Other settings were given meanwhile: their shadows are to be made first.
        if (generation !== processed) return undefined
        // Runs of documents that are not completed lose their jobs: they would go on with the former settings.
        await jobs.cancelLane(INGEST_DOCUMENT, contextId)
        const now = this.clock.now().toISOString()
        const switched = await shadows.switch(contextId, { from, to: generation }, now)
        if (switched === undefined) throw new NotReadyError()
        await contexts.update(contextId, { generation, embeddingModel, chunkSizeTokens, overlap, reindexing: null })
        await jobs.enqueueAll(switched.unprocessed.map((id) => ingestionJob({ id, contextId }, companyId)))
        await jobs.enqueueAll(switched.purged.map((subject) => ({ kind: PURGE_DOCUMENT, subject })))
        const page = { after: 0, limit: 1 }
        // A newer version of the engine may have taken over the re-index.
        const withoutWords = await documents.listWithoutWords(contextId, ANALYZER_VERSION, page)
        if (withoutWords.length > 0) await enqueueWords(repositories, contextId)
        return { reindexing, unprocessed: switched.unprocessed }
      })
    } catch (error) {
      if (error instanceof NotReadyError) return undefined
      throw error
    }
  }
}
