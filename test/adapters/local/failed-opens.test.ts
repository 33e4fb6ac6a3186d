import { readdir, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type LocalEngineOptions, openLocalDatabase, openLocalEngine } from '../../../adapters/local/index.js'
import { temporaryFolder } from '../../temporary-folder.js'

const DESCRIPTORS = '/proc/self/fd'
const FAILED_OPENS = 4

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string
let notAKey: string

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
  notAKey = join(folder.path, 'not-a-key')
  await writeFile(notAKey, 'this is no key')
  await (await openLocalEngine({ dataDir })).close()
})

afterEach(async () => {
  await folder.remove()
})

type Options = Omit<LocalEngineOptions, 'dataDir'>

const FAILURES: readonly (readonly [string, () => Options, string])[] = [
  ['a model that is missing', () => ({ modelDirs: [join(folder.path, 'no-model')] }), 'ERR_MODEL_MISSING'],
  ['a file without signing keys', () => ({ signingKeyFile: notAKey }), 'ERR_SIGNING_KEY'],
  ['a file without a secret key', () => ({ secretKeyFile: notAKey }), 'ERR_SECRET_KEY'],
]

/** Only Linux lists the open files of a process in a folder. */
describe.skipIf(process.platform !== 'linux')('a failed opening leaves no file open', () => {
  it.each([
    ...FAILURES,
    ['another secret key', (): Options => ({ secretKey: new Uint8Array(32) }), 'ERR_SECRET_KEY'] as const,
    ['an invalid network', (): Options => ({ webhooks: { allow: ['?'] } }), 'ERR_INVALID_INPUT'] as const,
  ])('of an engine with %s', async (_, options, code) => {
    for (let attempt = 1; attempt <= FAILED_OPENS; attempt += 1) {
      await expect(openLocalEngine({ dataDir, ...options() })).rejects.toMatchObject({ code })
    }
    expect(await openFilesIn(dataDir)).toEqual([])
  })

  it.each(FAILURES)('of the database alone with %s', async (_, options, code) => {
    for (let attempt = 1; attempt <= FAILED_OPENS; attempt += 1) {
      await expect(openLocalDatabase({ dataDir, ...options() })).rejects.toMatchObject({ code })
    }
    expect(await openFilesIn(dataDir)).toEqual([])
  })
})

async function openFilesIn(path: string): Promise<string[]> {
  const descriptors = await readdir(DESCRIPTORS)
  const files = await Promise.all(descriptors.map((one) => readlink(join(DESCRIPTORS, one)).catch(() => '')))
  return files.filter((file) => file.startsWith(path))
}
