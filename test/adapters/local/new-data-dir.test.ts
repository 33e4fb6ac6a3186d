import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalEngine, withNewDataDir } from '../../../adapters/local/index.js'
import { temporaryFolder } from '../../temporary-folder.js'

const FAILURE = new Error('the last step fails')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'some', 'data')
})

afterEach(async () => {
  await folder.remove()
})

/** Makes the whole folder of an engine, and fails then. */
async function failLate(before: () => Promise<void> = async () => undefined): Promise<void> {
  const work = async (): Promise<void> => {
    await before()
    await (await openLocalEngine({ dataDir })).close()
    throw FAILURE
  }
  await expect(withNewDataDir(dataDir, work)).rejects.toBe(FAILURE)
}

describe('a first work on a data folder that fails', () => {
  it('leaves nothing behind', async () => {
    await failLate()
    expect(await readdir(folder.path)).toEqual([])
  })

  it('keeps what somebody else has put there meanwhile', async () => {
    await failLate(async () => {
      await mkdir(dataDir, { recursive: true, mode: 0o700 })
      await writeFile(join(dataDir, 'notes.txt'), 'mine')
    })
    expect(await readdir(dataDir)).toEqual(['notes.txt'])
  })

  it('keeps the new keys of a database that was there before', async () => {
    await (await openLocalEngine({ dataDir })).close()
    const keys = join(dataDir, 'keys')
    await rename(keys, join(folder.path, 'keys'))
    await failLate(async () => await rename(join(folder.path, 'keys'), keys))
    expect(await readdir(keys)).toEqual(['secret-key', 'signing-keys.json'])
    await (await openLocalEngine({ dataDir })).close()
  })

  it('keeps a database of another process, whose lock this process never had', async () => {
    const work = async (): Promise<void> => {
      await mkdir(dataDir, { recursive: true })
      await writeFile(join(dataDir, 'alcove.sqlite'), 'theirs')
      throw FAILURE
    }
    await expect(withNewDataDir(dataDir, work)).rejects.toBe(FAILURE)
    expect(await readdir(dataDir)).toEqual(['alcove.sqlite'])
  })
})
