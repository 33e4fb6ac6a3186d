import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openSqlite } from '../../adapters/knex/index.js'
import { openLocalEngine } from '../../adapters/local/index.js'
import { temporaryFolder } from '../temporary-folder.js'

// A89
it('a process killed during the purge of a company leaves it to the next ones, which remove all data', async () => {
  const folder = await temporaryFolder()
  const dataDir = join(folder.path, 'data')
  for (const lifeMs of [0, 15, 40]) {
    const child = fork(join(import.meta.dirname, 'offboarding-child.mjs'), [dataDir], { stdio: 'inherit' })
    await once(child, 'message')
    await setTimeout(lifeMs)
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    if (lifeMs > 0) continue
    const database = openSqlite(join(dataDir, 'alcove.sqlite'))
    expect(await database('alcove_jobs').where('kind', 'purge-company').select('subject')).toHaveLength(1)
    expect(await database('alcove_users').where('email', 'like', '%lovelace%').select()).toEqual([])
    await database.destroy()
  }
  const engine = await openLocalEngine({ dataDir })
  expect((await engine.administration.companies.list()).map(({ id }) => id)).toEqual([1])
  expect(await engine.whenCleared()).toBe('done')
  expect((await engine.administration.verify()).problems).toEqual([])
  await engine.close()
  const files = await readdir(join(dataDir, 'files'), { recursive: true, withFileTypes: true })
  expect(files.filter((file) => file.isFile())).toEqual([])
  const database = openSqlite(join(dataDir, 'alcove.sqlite'))
  for (const table of ['contexts', 'documents', 'chunks', 'events', 'deliveries', 'destinations']) {
    expect(await database(`alcove_${table}`).select(), table).toEqual([])
  }
  expect(await database('alcove_jobs').where('kind', 'like', 'purge%').select()).toEqual([])
  await database.destroy()
  await folder.remove()
})
