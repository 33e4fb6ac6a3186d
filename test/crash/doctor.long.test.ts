import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openSqlite } from '../../adapters/knex/index.js'
import { openLocalEngine } from '../../adapters/local/index.js'
import { runAlcove } from '../adapters/cli/run-alcove.js'
import { temporaryFolder } from '../temporary-folder.js'

it.each(['in the middle of its bytes', 'before its row'])(
  'the doctor finds nothing after a kill of an upload %s, and the next start removes the bytes',
  async (moment) => {
    const folder = await temporaryFolder()
    const dataDir = join(folder.path, 'alcove-data')
    const child = fork(join(import.meta.dirname, 'upload-child.mjs'), [dataDir, moment], { stdio: 'inherit' })
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    const well = { exitCode: 0, stdout: 'No problems found in 0 documents.\n', stderr: '' }
    expect(await runAlcove(['doctor'], { cwd: folder.path })).toEqual(well)
    // The reservation of the upload expires within minutes, or another process on the database removes it.
    const knex = openSqlite(join(dataDir, 'alcove.sqlite'))
    await knex('alcove_uploads').update({ expires_ms: 0 })
    await knex.destroy()
    expect(await runAlcove(['doctor'], { cwd: folder.path })).toEqual(well)
    const engine = await openLocalEngine({ dataDir })
    expect(await engine.administration.verify()).toMatchObject({ isHealthy: true, problems: [] })
    await engine.close()
    const files = await readdir(join(dataDir, 'files'), { recursive: true, withFileTypes: true })
    expect(files.filter((entry) => entry.isFile())).toEqual([])
    await folder.remove()
  },
  60_000,
)
