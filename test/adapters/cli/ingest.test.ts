import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
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

describe('alcove ingest of special files and folders', () => {
  it.skipIf(process.platform === 'win32')('refuses a pipe in one line, and ingests the other files', async () => {
    execFileSync('mkfifo', [inFolder('pipe.txt')])
    await writeFile(inFolder('b.txt'), 'text')
    expect(await alcove('ingest', '--context', 'C', 'pipe.txt', 'b.txt')).toEqual({
      exitCode: 1,
      stdout: 'pipe.txt: failed: not a regular file\nb.txt: 1 chunk from 4 bytes\n',
      stderr: '',
    })
  })

  it.skipIf(process.platform === 'win32')('reports the files of a folder that it skipped', async () => {
    await mkdir(inFolder('inbox/deep'), { recursive: true })
    for (const name of ['good.txt', '.hidden.txt', 'deep/.DS_Store', 'photo.png'])
      await writeFile(inFolder(`inbox/${name}`), 'text')
    await symlink('good.txt', inFolder('inbox/link.txt'))
    await symlink('nowhere.txt', inFolder('inbox/dead.txt'))
    execFileSync('mkfifo', [inFolder('inbox/pipe.txt')])
    expect(await alcove('ingest', '--context', 'C', 'inbox')).toEqual({
      exitCode: 0,
      stdout: 'inbox/good.txt: 1 chunk from 4 bytes\n',
      stderr: [
        'skipped inbox/photo.png: its format is not supported\n',
        'skipped in inbox: 2 hidden, 1 symbolic link, 1 dead link, 1 special file; to ingest such a file, name it\n',
      ].join(''),
    })
  })

  it('fails for an empty folder', async () => {
    await mkdir(inFolder('inbox'))
    const stderr = 'inbox: failed: the folder contains no file of a supported format\n'
    expect(await alcove('ingest', '--context', 'C', 'inbox')).toEqual({ exitCode: 1, stdout: '', stderr })
    expect(await alcove('ingest', '--context', 'C', 'inbox', '--json')).toEqual({ exitCode: 1, stdout: '[]\n', stderr })
  })
})
