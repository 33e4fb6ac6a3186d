import { once } from 'node:events'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lockDataDir } from '../../../adapters/local/folder/data-dir-lock.js'
import { temporaryFolder } from '../../temporary-folder.js'

const TEXT = 'Parents have eighteen weeks of leave.'
const CHILD = new URL('./thread-child.mjs', import.meta.url)

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  await folder.remove()
})

/** Runs an engine in a thread, until the thread has ended. @returns its first hit @throws the error of the thread */
async function searchInThread(name: string): Promise<string> {
  const workerData = { dataDir: join(folder.path, name), text: TEXT, prompt: 'How long is parental leave?' }
  const worker = new Worker(CHILD, { workerData })
  const hits: string[] = []
  worker.on('message', (hit: string) => hits.push(hit))
  const [code] = (await once(worker, 'exit')) as [number]
  expect(code).toBe(0)
  return hits.join()
}

/** The processes that run a model for this process. */
async function embeddingProcesses(): Promise<readonly string[]> {
  const commands = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map(async (pid) => {
        const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
        const isChild = status.includes(`PPid:\t${process.pid}\n`) && !status.includes('State:\tZ')
        return isChild ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : ''
      }),
  )
  return commands.filter((command) => command.includes('embedding-worker'))
}

describe('an engine in a worker thread', () => {
  it('works again after an earlier thread has ended, and in two threads at the same time', async () => {
    expect(await searchInThread('first')).toBe(TEXT)
    expect(await Promise.all([searchInThread('second'), searchInThread('third')])).toEqual([TEXT, TEXT])
    // A process that runs the model notices that its thread has ended.
    if (process.platform === 'linux') await vi.waitUntil(async () => (await embeddingProcesses()).length === 0, 10_000)
  })

  it('is refused on a folder that another thread of the process has open, by a sentence that says so', async () => {
    const dataDir = join(folder.path, 'held')
    await mkdir(dataDir, { mode: 0o700 })
    const lock = await lockDataDir(dataDir, { webhookAllow: [] })
    await expect(searchInThread('held')).rejects.toThrow(
      /in use by another thread of this process, or another copy of alcove in it: close that engine first/,
    )
    await lock.release()
  })
})
