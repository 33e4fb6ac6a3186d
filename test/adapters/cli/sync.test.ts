import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
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
const sync = async (...args: readonly string[]): Promise<Outcome> =>
  await alcove('sync', '--context', 'C', 'share', ...args)

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(folder.path, 'share', path, '..'), { recursive: true })
  await writeFile(join(folder.path, 'share', path), text)
}

interface Listed {
  readonly id: number
  readonly displayName: string
  readonly metadata: unknown
  readonly uuid: string
}

async function documents(): Promise<readonly Listed[]> {
  return JSON.parse((await alcove('documents', '--context', 'C', '--json')).stdout) as Listed[]
}

it('alcove sync --delete keeps all documents of an empty folder and says why, unless --allow-empty allows it', async () => {
  for (const name of ['a.md', 'sub/b.md', 'c.md']) await write(name, `words of ${name}`)
  expect((await sync('--delete')).exitCode).toBe(0)
  await rm(join(folder.path, 'share'), { recursive: true })
  const missing = await sync('--delete', '--allow-empty')
  expect([missing.exitCode, missing.stdout]).toEqual([1, ''])
  expect(missing.stderr).toMatch(/^[^\n]*share does not exist[^\n]*\n$/)
  await mkdir(join(folder.path, 'share'))
  const refused = await sync('--delete')
  expect([refused.exitCode, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toMatch(/^[^\n]*share has no file that can be read[^\n]*\(3\)[^\n]*--allow-empty[^\n]*\n$/)
  expect(await documents()).toHaveLength(3)
  const allowed = await sync('--delete', '--allow-empty', '--json')
  expect(allowed.exitCode).toBe(0)
  expect(JSON.parse(allowed.stdout)).toMatchObject({ removed: 3 })
  expect(await documents()).toEqual([])
})

it('alcove sync --delete changes nothing if a folder below it has become empty, and names that folder', async () => {
  for (let file = 0; file < 12; file += 1) await write(`mounted/${file}.md`, `words of ${file}`)
  await write('a.md', 'words of a')
  await sync('--delete')
  await rm(join(folder.path, 'share/mounted'), { recursive: true })
  await mkdir(join(folder.path, 'share/mounted'))
  const refused = await sync('--delete')
  expect([refused.exitCode, refused.stdout]).toEqual([1, ''])
  expect(refused.stderr).toMatch(/^[^\n]*mounted in [^\n]*share is empty[^\n]*\(12\)[^\n]*--allow-empty[^\n]*\n$/)
  expect(await documents()).toHaveLength(13)
  await rm(join(folder.path, 'share/mounted'), { recursive: true })
  expect(JSON.parse((await sync('--delete', '--json')).stdout)).toMatchObject({ removed: 12, unchanged: 1 })
})

it('alcove sync gives a renamed file the document that it had, with the metadata of a user', async () => {
  await write('lunch.md', 'Lunch is at noon.')
  await sync()
  const [before] = await documents()
  await alcove('documents', 'update', before?.uuid ?? '', '--metadata', '{"owner":"kitchen"}')
  await rename(join(folder.path, 'share/lunch.md'), join(folder.path, 'share/meals.md'))
  expect((await sync('--delete')).exitCode).toBe(0)
  const metadata = { owner: 'kitchen', path: 'meals.md' }
  expect(await documents()).toMatchObject([{ id: before?.id, displayName: 'meals.md', metadata }])
})
