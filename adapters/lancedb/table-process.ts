import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SearchPlan } from './search-plan.js'
import type { TablePlace } from './table-place.js'

/**
 * 218 MB at its peak for an index of 142,000 vectors of 384 dimensions instead of 410, in 1.1 times the time. Lance reads
 * 2 GB ahead where nothing else is said. It frees on one thread what another took: with an arena for each thread, glibc's
 * default, little of that goes back to the system; nor do large blocks, whose threshold grows unless one is set. Other
 * allocators know nothing of that.
 */
const LITTLE_MEMORY = {
  LANCE_DEFAULT_IO_BUFFER_SIZE: String(64 * 2 ** 20),
  LANCE_DEFAULT_BATCH_SIZE: '2048',
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: String(32 * 2 ** 20),
}

/** Work on a table that a process of its own can do, and what it gives. */
export interface TableTasks {
  /** Builds the vector index, and measures it. */
  readonly build: SearchPlan
  /** Measures a vector index that is there: only its measurement is lost. */
  readonly measure: SearchPlan
  /** Merges fragments, brings indexes up to date and removes old versions. */
  readonly compact: Compaction
}

/** What a compaction did. */
export interface Compaction {
  readonly fragmentsRemoved: number
}

/** What the process is told. */
export interface TableOrder {
  readonly task: keyof TableTasks
  readonly place: Pick<TablePlace, 'uri' | 'storageOptions' | 'building'>
  readonly table: string
  /** Versions as old as this stay, in ms since 1970: the host reads one of them until it takes up the newest. */
  readonly keepFromMs: number
}

/** What the process tells. */
export type TableAnswer = { readonly result: TableTasks[keyof TableTasks] } | { readonly error: string }

/**
 * Works on a table in a process of its own, which ends with this one: what memory it takes goes back to the system,
 * where in the host the allocator would keep the pieces. Resolves with `undefined` if it was given up. The host reads
 * on as before until it takes up the newest version.
 *
 * @throws Error when it fails, or its process ends otherwise.
 */
export async function workApart<T extends keyof TableTasks>(
  order: TableOrder & { readonly task: T },
  signal?: AbortSignal,
): Promise<TableTasks[T] | undefined> {
  const { uri, storageOptions, building } = order.place
  await mkdir(building, { recursive: true, mode: 0o700 })
  // An ended build leaves gigabytes: where nobody else would remove them, or keep theirs.
  const temporary = await mkdtemp(join(building, 'build-'))
  try {
    const answer = signal?.aborted
      ? undefined
      : await answerOf(start(temporary), { ...order, place: { uri, storageOptions, building } }, signal)
    if (signal?.aborted) return undefined
    if (answer === undefined) throw new Error(`the process that was to ${order.task} ${order.table} ended`)
    if ('error' in answer) throw new Error(answer.error)
    return answer.result as TableTasks[T]
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

function start(temporary: string): ChildProcess {
  const child = fork(new URL('./table-worker.js', import.meta.url), {
    execArgv: [],
    env: { ...LITTLE_MEMORY, ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary, LANCEDB_LOG: 'error' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // A host that ends without closing need not wait for it.
  child.unref()
  child.channel?.unref()
  return child
}

/** What the process tells before it ends. */
async function answerOf(
  child: ChildProcess,
  order: TableOrder,
  signal: AbortSignal | undefined,
): Promise<TableAnswer | undefined> {
  let answer: TableAnswer | undefined
  child.on('message', (sent) => {
    answer = sent as TableAnswer
  })
  const end = (): void => {
    child.kill('SIGKILL')
  }
  signal?.addEventListener('abort', end, { once: true })
  try {
    child.send(order, () => undefined)
    await once(child, 'close')
    return answer
  } finally {
    signal?.removeEventListener('abort', end)
  }
}
