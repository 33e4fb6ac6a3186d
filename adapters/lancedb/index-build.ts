import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildFolder } from './lance-connection.js'
import type { SearchPlan } from './search-plan.js'

/** What the process is told. */
export interface BuildOrder {
  readonly folder: string
  readonly table: string
  /** Whether the index is there, and only its measurement is lost. */
  readonly measureOnly: boolean
}

/** What the process tells. */
export type BuildMessage = { readonly plan: SearchPlan } | { readonly error: string }

/**
 * Builds and measures the vector index of a table in a process of its own, which ends with this one.
 * Resolves with `undefined` if it was given up.
 *
 * @throws Error when it fails, or its process ends otherwise.
 */
export async function buildIndex(order: BuildOrder, signal: AbortSignal): Promise<SearchPlan | undefined> {
  await mkdir(buildFolder(order.folder), { recursive: true })
  // An ended build leaves gigabytes: where nobody else would remove them, or keep theirs.
  const temporary = await mkdtemp(join(buildFolder(order.folder), 'build-'))
  try {
    const message = signal.aborted ? undefined : await answerOf(start(temporary), order, signal)
    if (signal.aborted) return undefined
    if (message === undefined) throw new Error(`the process that builds the index of ${order.table} ended`)
    if ('error' in message) throw new Error(message.error)
    return message.plan
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

function start(temporary: string): ChildProcess {
  const child = fork(new URL('./index-build-worker.js', import.meta.url), {
    execArgv: [],
    env: { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary, LANCEDB_LOG: 'error' },
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
  order: BuildOrder,
  signal: AbortSignal,
): Promise<BuildMessage | undefined> {
  let message: BuildMessage | undefined
  child.on('message', (sent) => {
    message = sent as BuildMessage
  })
  const end = (): void => {
    child.kill('SIGKILL')
  }
  signal.addEventListener('abort', end, { once: true })
  try {
    child.send(order, () => undefined)
    await once(child, 'close')
    return message
  } finally {
    signal.removeEventListener('abort', end)
  }
}
