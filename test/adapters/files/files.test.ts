import fs, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { FolderFileStore } from '../../../adapters/files/index.js'
import { temporaryFolder } from '../../temporary-folder.js'

const open = fs.open

afterEach(() => {
  fs.open = open
  syncBuiltinESMExports()
})

/** Records the files and folders that are synced to the disk from now on. */
function noteSyncs(): string[] {
  const synced: string[] = []
  fs.open = async (path, ...rest) => {
    const handle: FileHandle = await open(path, ...rest)
    const sync = handle.sync.bind(handle)
    handle.sync = async () => {
      synced.push(String(path))
      await sync()
    }
    return handle
  }
  syncBuiltinESMExports()
  return synced
}

it('a write to the file store syncs new folders and their parent folders to the disk', async () => {
  const folder = await temporaryFolder()
  const files = join(folder.path, 'data', 'files')
  const store = new FolderFileStore(files)
  const content = async function* () {
    yield Buffer.from('text')
  }
  const synced = noteSyncs()
  await store.write('aaaaaaaa-0000-4000-8000-000000000001', content(), { maxBytes: 10 })
  expect(new Set(synced.filter((path) => !path.includes('unfinished/')))).toEqual(
    new Set([folder.path, join(folder.path, 'data'), files, join(files, 'aa')]),
  )
  synced.length = 0
  await store.write('aaaaaaaa-0000-4000-8000-000000000002', content(), { maxBytes: 10 })
  expect(synced.filter((path) => !path.includes('unfinished/'))).toEqual([join(files, 'aa')])
  await folder.remove()
})

it.each([
  ['ENOSPC', { code: 'ERR_STORAGE_FULL', isTransient: true, message: expect.stringContaining('is full') as string }],
  ['EDQUOT', { code: 'ERR_STORAGE_FULL', isTransient: true }],
  ['EIO', { code: 'ERR_STORAGE', isTransient: true, message: expect.stringContaining('(EIO)') as string }],
  ['ESTALE', { code: 'ERR_STORAGE', isTransient: true, message: 'a file of the file store failed (ESTALE)' }],
  [
    'EROFS',
    { code: 'ERR_STORAGE_READ_ONLY', isTransient: true, message: expect.stringContaining('read-only') as string },
  ],
])(
  'a write to the file store reports %s of the disk by a code and a sentence and leaves no file',
  async (code, expectedError) => {
    const folder = await temporaryFolder()
    const store = new FolderFileStore(folder.path)
    fs.open = async (path, ...rest) => {
      const handle: FileHandle = await open(path, ...rest)
      handle.write = () => Promise.reject(Object.assign(new Error(`${code}: secret path`), { code }))
      return handle
    }
    syncBuiltinESMExports()
    const content = async function* () {
      yield Buffer.from('text')
    }
    const failure: unknown = await store
      .write('aaaaaaaa-0000-4000-8000-000000000001', content(), { maxBytes: 10 })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject(expectedError)
    expect((failure as Error).message).not.toContain('secret')
    expect(await fs.readdir(join(folder.path, 'unfinished'))).toEqual([])
    await folder.remove()
  },
)

it('a write to the file store does not report an error of the content as an error of the disk', async () => {
  const folder = await temporaryFolder()
  const content = async function* () {
    yield Buffer.from('text')
    throw Object.assign(new Error('the disk of the sender'), { code: 'EIO' })
  }
  const store = new FolderFileStore(folder.path)
  const writing = store.write('aaaaaaaa-0000-4000-8000-000000000001', content(), { maxBytes: 10 })
  await expect(writing).rejects.toThrow('the disk of the sender')
  await folder.remove()
})

it('the file store reports by a code that its path is not a folder', async () => {
  const folder = await temporaryFolder()
  const path = join(folder.path, 'files')
  await fs.writeFile(path, 'no folder')
  const store = new FolderFileStore(path)
  const expectedError = {
    code: 'ERR_STORAGE',
    isTransient: false,
    message: expect.stringContaining('ENOTDIR') as string,
  }
  await expect(store.list().next()).rejects.toMatchObject(expectedError)
  await expect(store.sizeOf('aaaaaaaa-0000-4000-8000-000000000001')).rejects.toMatchObject(expectedError)
  await folder.remove()
})

it('removeUnfinished deletes old unfinished files and keeps their folder for the next write', async () => {
  const folder = await temporaryFolder()
  const store = new FolderFileStore(folder.path)
  const unfinished = join(folder.path, 'unfinished')
  await store.removeUnfinished({ olderThanMs: 60_000 })
  await fs.mkdir(unfinished)
  for (const [name, ageMs] of [
    ['old', 61_000],
    ['young', 59_000],
  ] as const) {
    await fs.writeFile(join(unfinished, name), 'text')
    const then = new Date(Date.now() - ageMs)
    await fs.utimes(join(unfinished, name), then, then)
  }
  await store.removeUnfinished({ olderThanMs: 60_000 })
  expect(await fs.readdir(unfinished)).toEqual(['young'])
  await store.removeUnfinished()
  expect(await fs.readdir(unfinished)).toEqual([])
  await folder.remove()
})
