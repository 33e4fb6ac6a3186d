import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { openLocalEngine } from '../../../../adapters/local/index.js'
import { MemoryTelemetry } from '../../../../adapters/memory/index.js'
import { folderContents } from './folder-contents.js'

/** An engine in a separate process that works without a pause. */
export interface Load {
  readonly child: ChildProcess
  /** The number of documents so far. */
  readonly completed: () => number
  reach(count: number): Promise<void>
  /** Waits for some more documents. */
  goOn(): Promise<void>
  stop(): Promise<void>
}

/** Starts an engine in a separate process; `completed` counts the documents that it reports. */
export function startLoad(path: string): Load {
  const child: ChildProcess = fork(join(import.meta.dirname, 'backup-load-child.mjs'), [path], { stdio: 'inherit' })
  let completed = 0
  child.on('message', () => {
    completed += 1
  })
  const reach = async (count: number): Promise<void> => {
    while (completed < count) {
      if (child.exitCode !== null) throw new Error(`the engine ended with ${child.exitCode}`)
      await setTimeout(10)
    }
  }
  const stop = async (): Promise<void> => {
    child.send('stop')
    if (child.exitCode === null) await once(child, 'exit')
  }
  return { child, reach, stop, completed: () => completed, goOn: async () => await reach(completed + 4) }
}

/**
 * Opens an engine, which finishes the unfinished work; then each document has all of its data. The sweep finds nothing
 * in a restored folder. It may find orphans in a folder whose engine stopped during a deletion.
 */
export async function expectWhole(
  path: string,
  { isRestored = true }: { readonly isRestored?: boolean } = {},
): Promise<void> {
  const telemetry = new MemoryTelemetry()
  const engine = await openLocalEngine({ dataDir: path, roles: ['ingest'], telemetry })
  const session = engine.as(engine.owner)
  for (const { id } of await session.contexts.list()) {
    for (const { fileName } of await session.documents.list(id)) await session.documents.whenProcessed(fileName)
  }
  await engine.whenCleared()
  expect((await engine.administration.verify()).problems).toEqual([])
  await engine.close()
  const swept = telemetry.events.find(({ name }) => name === 'ingestion.swept')
  if (isRestored)
    expect(swept?.fields).toMatchObject({ filesRemoved: 0, vectorOrphansRemoved: 0, wordOrphansRemoved: 0 })
  const { documents, strangers } = await folderContents(path)
  expect(strangers).toEqual([])
  expect(documents.size).toBeGreaterThan(10)
  for (const found of documents.values()) {
    expect(found).toEqual({
      ...found,
      isCompleted: true,
      chunks: found.chunkCount,
      vectors: found.windows,
      words: found.chunks,
      fileHash: found.contentHash,
    })
    expect(found.vectors).toBeGreaterThan(0)
  }
  const files = await readdir(join(path, 'files'), { recursive: true, withFileTypes: true })
  expect(files.filter((entry) => entry.isFile())).toHaveLength(documents.size)
}
