import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../../../adapters/knex/index.js'
import { DATABASES } from '../../../src/outbox/database.js'
import { temporaryFolder } from '../../../temporary-folder.js'
import { runAlcove, startAlcove } from '../../cli/run-alcove.js'
import { fillFolder, openFolder, removeFilled, seen } from './filled-folder.js'

const POSTGRES = DATABASES.filter(({ name }) => name === 'PostgreSQL')
/** Enough that a slow machine kills more than three runs. */
const ROWS = 12_000

// K
it.each(POSTGRES)(
  'a migration to $name survives kills at any moment: each new run continues, and all data exists once',
  async (postgres) => {
    const folder = await temporaryFolder()
    const dataDir = join(folder.path, 'data')
    const database = await postgres.openEmpty()
    onTestFinished(async () => {
      await database.dispose()
      await removeFilled()
      await folder.remove()
    })
    await fillFolder(dataDir)
    const knex = openSqlite(join(dataDir, 'alcove.sqlite'))
    const rows = Array.from({ length: ROWS }, (_, at) => ({ key: `filler-${String(at).padStart(6, '0')}` }))
    for (let at = 0; at < rows.length; at += 100) {
      const part = rows.slice(at, at + 100)
      await knex('alcove_regions').insert(part.map(({ key }) => ({ name: key })))
    }
    await knex.destroy()
    const engine = await openFolder(dataDir)
    const before = await seen(engine)
    await engine.close()
    const args = ['migrate', '--from', dataDir, '--to', database.address, '--json']
    let kills = 0
    for (let copied = 0; copied < ROWS; kills += 1) {
      const { child, outcome } = startAlcove(args, { cwd: folder.path })
      const least = copied + ROWS / 8
      while (child.exitCode === null && copied < least) {
        await setTimeout(5)
        copied = Number(
          (
            await database
              .knex('alcove_regions')
              .count({ rows: '*' })
              .catch(() => [{ rows: copied }])
          )[0]?.rows,
        )
      }
      child.kill('SIGKILL')
      const { exitCode, stderr } = await outcome
      expect([exitCode ?? 0, exitCode === 0 ? '' : stderr]).toEqual([0, ''])
    }
    expect(kills).toBeGreaterThan(3)
    const { exitCode, stdout, stderr } = await runAlcove(args, { cwd: folder.path })
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
    expect(JSON.parse(stdout)).toMatchObject({ documents: 2, rows: { regions: ROWS + 1 } })
    const migrated = await openFolder(dataDir, database.address)
    expect(await seen(migrated)).toEqual(before)
    await migrated.close()
  },
)
