import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalDatabase } from '../../../adapters/local/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { type Outcome, startAlcove } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
  await alcove('init')
  await alcove('context', 'create', 'C')
})

afterEach(async () => {
  await folder.remove()
})

const alcove = async (...args: readonly string[]): Promise<Outcome> => await runAlcoveHere(args, { cwd: folder.path })
const inFolder = (name: string): string => join(folder.path, name)
const LONG_TEXT = Array.from({ length: 4_000 }, (_, number) => `Item ${number} is a lamp from room ${number}. `).join(
  '',
)

describe('alcove ingest, while another process deletes documents or their context', () => {
  it.each(['documents', 'context'] as const)('%s: prints one line for each file, and exits with 1', async (what) => {
    const names = ['a-long.txt', 'b.txt', 'c.txt', 'd-long.txt']
    for (const name of names) await writeFile(inFolder(name), name.includes('long') ? name + LONG_TEXT : name)
    const { outcome } = startAlcove(['ingest', '--context', 'C', ...names], { cwd: folder.path })
    const beside = await openLocalDatabase({ dataDir: inFolder('alcove-data') })
    const { documents, contexts } = beside.as(beside.owner)
    while ((await documents.list(1)).length < names.length) await setTimeout(10)
    const listed = await documents.list(1)
    if (what === 'context') await contexts.delete(1)
    else
      for (const { originalName, fileName } of listed)
        if (originalName.includes('long')) await documents.delete(fileName)
    await beside.close()

    const { exitCode, stdout, stderr } = await outcome
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
    const lines = stdout.trim().split('\n')
    expect(lines.map((line) => line.split(':')[0])).toEqual(names)
    const deleted = 'failed: deleted before it was searchable (ERR_DOCUMENT_NOT_FOUND)'
    expect(lines[0]).toBe(`a-long.txt: ${deleted}`)
    expect(lines[3]).toBe(`d-long.txt: ${deleted}`)
    if (what === 'documents')
      expect(lines.slice(1, 3).join()).toBe('b.txt: 1 chunk from 5 bytes,c.txt: 1 chunk from 5 bytes')
  })
})
