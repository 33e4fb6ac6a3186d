import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SearchPlan } from './search-plan.js'
import type { TablePlace } from './table-place.js'

/**
 * Limits the memory of the process: a peak of 218 MB instead of 410 for an index of 142,000 vectors of 384 dimensions,
 * in 1.1 times the time. By default, Lance reads 2 GB ahead. One thread of Lance frees what another allocated. With an
 * arena for each thread, the default of glibc, little of that memory returns to the system. Large blocks do not return
 * either, because their threshold grows unless it is set. Other allocators ignore these variables.
 */
const LITTLE_MEMORY = {
  LANCE_DEFAULT_IO_BUFFER_SIZE: String(64 * 2 ** 20),
  LANCE_DEFAULT_BATCH_SIZE: '2048',
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: String(32 * 2 ** 20),
}

/** The tasks that a separate process can do on a table, and their results. */
export interface TableTasks {
  /** Builds the vector index, and measures it. */
  readonly build: SearchPlan
  /** Measures an existing vector index whose measurement is missing. */
  readonly measure: SearchPlan
  /** Merges fragments, updates indexes and removes old versions. */
  readonly compact: Compaction
}

/** The result of a compaction. */
export interface Compaction {
  readonly fragmentsRemoved: number
}

/** The message that starts the process's work. */
export interface TableOrder {
  readonly task: keyof TableTasks
  readonly place: Pick<TablePlace, 'uri' | 'storageOptions' | 'temporaryFolder'>
  readonly table: string
  /** Versions from this time on stay, in ms since 1970. The host reads one of them until it checks out the newest. */
  readonly keepFromMs: number
}

/** The answer of the process. */
export type TableAnswer = { readonly result: TableTasks[keyof TableTasks] } | { readonly error: string }

/**
 * Runs a task on a table in a separate process, which exits with this one. Its memory returns to the system; in the
 * host, the allocator would keep the pieces. The host reads the old version until it checks out the newest. Resolves
 * with `undefined` if the signal aborts the task.
 *
 * @throws Error if the task fails, or if the process exits without an answer
 */
export async function runInProcess<T extends keyof TableTasks>(
  order: TableOrder & { readonly task: T },
  signal?: AbortSignal,
): Promise<TableTasks[T] | undefined> {
  const { uri, storageOptions, temporaryFolder } = order.place
  await mkdir(temporaryFolder, { recursive: true, mode: 0o700 })
  // A killed build leaves gigabytes, so each build has a folder of its own, which is removed afterwards.
  const temporary = await mkdtemp(join(temporaryFolder, 'build-'))
  try {
    const answer = signal?.aborted
      ? undefined
      : await waitForAnswer(
          startProcess(temporary),
          { ...order, place: { uri, storageOptions, temporaryFolder } },
          signal,
        )
    if (signal?.aborted) return undefined
    if (answer === undefined)
      throw new Error(`the process for the task "${order.task}" on ${order.table} exited without a result`)
    if ('error' in answer) throw new Error(answer.error)
    return answer.result as TableTasks[T]
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

function startProcess(temporary: string): ChildProcess {
  const child = fork(new URL('./table-worker.js', import.meta.url), {
    execArgv: [],
    env: { ...LITTLE_MEMORY, ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary, LANCEDB_LOG: 'error' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // A host that exits without closing does not wait for the process.
  child.unref()
  child.channel?.unref()
  return child
}

/** Waits for the exit of the process, and returns its answer. */
async function waitForAnswer(
  child: ChildProcess,
  order: TableOrder,
  signal: AbortSignal | undefined,
): Promise<TableAnswer | undefined> {
  let answer: TableAnswer | undefined
  child.on('message', (message) => {
    answer = message as TableAnswer
  })
  const kill = (): void => {
    child.kill('SIGKILL')
  }
  signal?.addEventListener('abort', kill, { once: true })
  try {
    child.send(order, () => undefined)
    await once(child, 'close')
    return answer
  } finally {
    signal?.removeEventListener('abort', kill)
  }
}
