import { PURGE_CONTEXT } from '../../context/index.js'
import type { Storage } from '../../ports/index.js'
import { pages } from '../../shared/pages.js'
import { INDEX_WORDS, INGEST_DOCUMENT, PURGE_DOCUMENT } from '../job-kinds.js'

const SUBJECTS_PER_PAGE = 5_000

/** What work is waiting, or under way, by the ids of what it is done to. */
export interface WaitingJobs {
  readonly [INGEST_DOCUMENT]: ReadonlySet<number>
  readonly [INDEX_WORDS]: ReadonlySet<number>
  readonly [PURGE_DOCUMENT]: ReadonlySet<number>
  readonly [PURGE_CONTEXT]: ReadonlySet<number>
}

export async function waitingJobs(storage: Storage): Promise<WaitingJobs> {
  const subjects = async (kind: string): Promise<Set<number>> => {
    const all = new Set<number>()
    const listed = pages(SUBJECTS_PER_PAGE, async (page) => await storage.read(({ jobs }) => jobs.subjects(kind, page)))
    for await (const some of listed) for (const subject of some) all.add(subject)
    return all
  }
  return {
    [INGEST_DOCUMENT]: await subjects(INGEST_DOCUMENT),
    [INDEX_WORDS]: await subjects(INDEX_WORDS),
    [PURGE_DOCUMENT]: await subjects(PURGE_DOCUMENT),
    [PURGE_CONTEXT]: await subjects(PURGE_CONTEXT),
  }
}
