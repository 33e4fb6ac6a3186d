import { execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../temporary-folder.js'
import type { Outcome } from './run-alcove.js'
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
describe('alcove ingest of special files and folders', () => {
  it.skipIf(process.platform === 'win32')('refuses a pipe in one line, and ingests the other files', async () => {
    execFileSync('mkfifo', [inFolder('pipe.txt')])
    await writeFile(inFolder('b.txt'), 'text')
    expect(await alcove('ingest', '--context', 'C', 'pipe.txt', 'b.txt')).toEqual({
      exitCode: 1,
      stdout: 'pipe.txt: failed: not a regular file (ERR_INVALID_INPUT)\nb.txt: 1 chunk from 4 bytes\n',
      stderr: '',
    })
  })

  it.skipIf(process.platform === 'win32')('reports the files of a folder that it skipped', async () => {
    await mkdir(inFolder('inbox/deep'), { recursive: true })
    for (const name of ['good.txt', '.hidden.txt', 'deep/.DS_Store', 'photo.png', 'app.min.js'])
      await writeFile(inFolder(`inbox/${name}`), 'text')
    await symlink('good.txt', inFolder('inbox/link.txt'))
    await symlink('nowhere.txt', inFolder('inbox/dead.txt'))
    execFileSync('mkfifo', [inFolder('inbox/pipe.txt')])
    expect(await alcove('ingest', '--context', 'C', 'inbox')).toEqual({
      exitCode: 0,
      stdout: 'inbox/good.txt: 1 chunk from 4 bytes\n',
      stderr: [
        'skipped inbox/app.min.js: it is minified code; to ingest it, name it\n',
        'skipped inbox/photo.png: its format is not supported\n',
        'skipped in inbox: 2 hidden, 1 symbolic link, 1 dead link, 1 special file; to ingest such a file, name it\n',
      ].join(''),
    })
  })

  it('leaves out folders named node_modules, as alcove sync does, and says so', async () => {
    await mkdir(inFolder('project/node_modules/library'), { recursive: true })
    await mkdir(inFolder('project/app/node_modules'), { recursive: true })
    for (const name of ['notes.md', 'node_modules/library/README.md', 'app/node_modules/README.md', 'app/guide.md'])
      await writeFile(inFolder(`project/${name}`), `words of ${name}`)
    const { exitCode, stdout, stderr } = await alcove('ingest', '--context', 'C', 'project')
    expect([exitCode, stderr]).toEqual([
      0,
      'skipped in project: 2 folders node_modules; to ingest such a file, name it\n',
    ])
    expect(stdout.trim().split('\n')).toEqual([
      'project/app/guide.md: 1 chunk from 21 bytes',
      'project/notes.md: 1 chunk from 17 bytes',
    ])
    const synced = await alcove('sync', '--context', 'C', 'project', '--json')
    expect(JSON.parse(synced.stdout)).toMatchObject({ added: 0, unchanged: 2, failed: 0 })
    expect((await alcove('ingest', '--context', 'C', 'project/node_modules/library/README.md')).exitCode).toBe(0)
  })

  it('fails for an empty folder', async () => {
    await mkdir(inFolder('inbox'))
    const stderr = 'inbox: failed: the folder contains no file of a supported format\n'
    expect(await alcove('ingest', '--context', 'C', 'inbox')).toEqual({ exitCode: 1, stdout: '', stderr })
    expect(await alcove('ingest', '--context', 'C', 'inbox', '--json')).toEqual({ exitCode: 1, stdout: '[]\n', stderr })
  })
})

describe('alcove ingest --replace', () => {
  const ingest = async (...args: readonly string[]): Promise<Outcome> =>
    await alcove('ingest', '--context', 'C', '--replace', ...args)
  const documents = async () =>
    JSON.parse((await alcove('documents', '--context', 'C', '--json')).stdout) as {
      readonly id: number
      readonly originalName: string
      readonly fileName: string
      readonly size: number
      readonly replacement: unknown
    }[]

  it('says that an existing document keeps its metadata, and changes them with --replace', async () => {
    await writeFile(inFolder('a.txt'), 'a heron')
    const metadata = async () => {
      const { stdout } = await alcove('documents', '--context', 'C', '--json')
      return (JSON.parse(stdout) as { readonly metadata: unknown }[]).map((document) => document.metadata)
    }
    const upload = async (...options: string[]) =>
      await alcove('ingest', '--context', 'C', ...options, inFolder('a.txt'))
    await upload()
    const again = await upload('--metadata', '{"year":2026}')
    expect(again.exitCode).toBe(0)
    expect(again.stderr).toContain('a.txt: the document existed before and keeps its metadata; to change them, use')
    expect(await metadata()).toEqual([{}])
    const replaced = await upload('--replace', '--metadata', '{"year":2026}')
    expect(replaced).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await metadata()).toEqual([{ year: 2026 }])
    expect((await upload('--metadata', '{"year":2026}')).stderr).toBe('')
  })

  it('replaces documents by their names, adds new ones, and does nothing for the same bytes', async () => {
    await writeFile(inFolder('a.txt'), 'a heron')
    await writeFile(inFolder('b.txt'), 'an ibis')
    expect((await ingest('a.txt', 'b.txt')).stdout).toBe('a.txt: 1 chunk from 7 bytes\nb.txt: 1 chunk from 7 bytes\n')
    const before = await documents()
    await writeFile(inFolder('a.txt'), 'an osprey')
    await writeFile(inFolder('c.txt'), 'a stork')
    expect(await ingest('a.txt', 'b.txt', 'c.txt')).toEqual({
      exitCode: 0,
      stdout: 'a.txt: 1 chunk from 9 bytes\nb.txt: unchanged\nc.txt: 1 chunk from 7 bytes\n',
      stderr: '',
    })
    const after = await documents()
    expect(after.map(({ id, originalName, size }) => [id, originalName, size])).toEqual([
      [before[0]?.id, 'a.txt', 9],
      [before[1]?.id, 'b.txt', 7],
      [expect.any(Number), 'c.txt', 7],
    ])
    expect(after[0]?.fileName).not.toBe(before[0]?.fileName)
    expect(after[1]).toEqual(before[1])
    expect((await alcove('search', '--context', 'C', 'osprey')).stdout).toContain('an osprey')
    expect((await alcove('search', '--context', 'C', 'heron')).stdout).not.toContain('a heron')
  })

  it('keeps the former version of a file that fails, and says why', async () => {
    await writeFile(inFolder('a.txt'), 'a heron')
    await ingest('a.txt')
    await writeFile(inFolder('a.txt'), '   ')
    const { exitCode, stdout } = await ingest('a.txt')
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^a\.txt: failed: .*\(ERR_NO_TEXT\); the former version stays\n$/)
    expect((await alcove('search', '--context', 'C', 'heron')).stdout).toContain('a heron')
    const [document] = await documents()
    const retried = await alcove('documents', 'retry', document?.fileName ?? '')
    expect([retried.exitCode, retried.stdout]).toEqual([1, expect.stringContaining('ERR_NO_TEXT')])
  })

  it('refuses a name that several documents or several files have', async () => {
    await writeFile(inFolder('a.txt'), 'a heron')
    await alcove('ingest', '--context', 'C', 'a.txt')
    await writeFile(inFolder('a.txt'), 'an ibis')
    await alcove('ingest', '--context', 'C', 'a.txt')
    await mkdir(inFolder('one'))
    await mkdir(inFolder('two'))
    for (const name of ['one/b.txt', 'two/b.txt']) await writeFile(inFolder(name), name)
    const { exitCode, stdout } = await ingest('a.txt', 'one', 'two')
    expect(exitCode).toBe(1)
    const [first, second, third] = stdout.split('\n')
    expect(first).toMatch(
      /^a\.txt: failed: 2 documents have this name: a\.txt [0-9a-f-]+, a \(1\)\.txt [0-9a-f-]+\. Delete all but one, .* \(ERR_INVALID_INPUT\)$/,
    )
    expect(second).toMatch(/one\/b\.txt: 1 chunk/)
    expect(third).toMatch(/two\/b\.txt: failed: another of these files has the same name \(ERR_INVALID_INPUT\)$/)
    expect(await documents()).toHaveLength(3)
  })
})
