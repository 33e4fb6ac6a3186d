import fs, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { FolderFileStore } from '../../adapters/files/index.js'
import { temporaryFolder } from '../temporary-folder.js'

const open = fs.open

afterEach(() => {
  fs.open = open
  syncBuiltinESMExports()
})

/** Notes which files and folders are brought to the disk from now on. */
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

it('brings new folders to the disk with the folders that they lie in', async () => {
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
