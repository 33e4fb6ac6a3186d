import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type DataDirLock, HOLDER_FILE, lockDataDir } from '../../../adapters/local/folder/data-dir-lock.js'
import { findHolder, noteServer } from '../../../adapters/local/index.js'
import { temporaryFolder } from '../../temporary-folder.js'

const ADDRESS = 'http://127.0.0.1:8787'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let lock: DataDirLock

beforeEach(async () => {
  folder = await temporaryFolder()
  lock = await lockDataDir(folder.path, { webhookAllow: [] })
})

afterEach(async () => {
  await lock.release()
  await folder.remove()
})

const written = async (): Promise<object> =>
  JSON.parse(await readFile(join(folder.path, HOLDER_FILE), 'utf8')) as object

/** Writes the file as another process of this machine does. */
async function writeAs(pid: number, address?: string): Promise<void> {
  const text = JSON.stringify({ ...(await written()), process: 'other', pid, address })
  await writeFile(join(folder.path, HOLDER_FILE), text)
}

it('names the server that holds a folder', async () => {
  await noteServer(folder.path, ADDRESS)
  expect(await written()).toMatchObject({ pid: process.pid, address: ADDRESS })
  await writeAs(process.ppid, ADDRESS)
  expect(await findHolder(folder.path)).toEqual({ pid: process.ppid, address: ADDRESS })
})

it('does not name a server that was killed, while the next process has the lock and has written nothing', async () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  await writeAs(pid, ADDRESS)
  expect(await findHolder(folder.path)).toEqual({})
  await expect(lockDataDir(folder.path, { webhookAllow: [] })).rejects.toMatchObject({
    code: 'ERR_DATA_DIR_LOCKED',
    holder: {},
  })
})

it('does not name a server that has just released the folder, and still lives', async () => {
  await writeAs(process.ppid, ADDRESS)
  const finding = findHolder(folder.path)
  await setTimeout(50)
  await writeAs(1)
  expect(await finding).toEqual({ pid: 1 })
})

it('notes no server for a folder that another process has opened', async () => {
  await writeAs(process.ppid)
  const before = await written()
  await noteServer(folder.path, ADDRESS)
  expect(await written()).toEqual(before)
})
