import { cp, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '../../../adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../../adapters/lancedb/index.js'
import { openLocalEngine } from '../../../adapters/local/index.js'
import type { VerifyReport } from '../../../src/index.js'
import { NEW_CONTEXT, uploadText } from '../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { TEXTS_IN_LANGUAGES } from '../text-extraction/language/texts-in-languages.js'
import { type Outcome, runAlcove } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

/** A context with two documents, created once. */
let original: Awaited<ReturnType<typeof temporaryFolder>>
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string

beforeAll(async () => {
  original = await temporaryFolder()
  const engine = await openLocalEngine({ dataDir: join(original.path, 'alcove-data') })
  const session = engine.as(engine.owner)
  const { id } = await session.contexts.create({ ...NEW_CONTEXT, name: 'C' })
  await uploadText(session, id, 'leave.txt', 'Parental leave takes eighteen weeks.')
  await uploadText(session, id, 'tides.txt', 'The harbour is closed in winter.')
  await engine.close()
})

afterAll(async () => {
  await original.remove()
})

beforeEach(async () => {
  folder = await temporaryFolder()
  await cp(original.path, folder.path, { recursive: true })
  dataDir = join(folder.path, 'alcove-data')
})

afterEach(async () => {
  await folder.remove()
})

const alcove = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
  await runAlcoveHere(args, { cwd: folder.path, env })

async function loseVectors(documentId: number): Promise<void> {
  const index = new LanceDbVectorIndex(join(dataDir, 'vectors'))
  for (const name of await index.listCollections()) await index.deleteDocument(name, documentId, 0)
  await index.close()
}

describe('alcove doctor', () => {
  it('reports that the folder has no problems', async () => {
    const well = { exitCode: 0, stdout: 'No problems found in 2 documents.\n', stderr: '' }
    expect(await alcove(['doctor'])).toEqual(well)
    expect(await alcove(['doctor', '--repair'])).toEqual(well)
    const { exitCode, stdout } = await alcove(['doctor', '--json'])
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ isHealthy: true, problems: [], checked: { documents: 2, vectors: 2 } })
  })

  it('says in which languages the model finds documents by words alone, with the commands for another model', async () => {
    const engine = await openLocalEngine({ dataDir })
    await uploadText(engine.as(engine.owner), 1, 'room-fi.txt', TEXTS_IN_LANGUAGES.fi)
    await engine.close()
    const { exitCode, stdout } = await alcove(['doctor'])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /^note: language-unknown: Context 1, whose model is all-MiniLM-L6-v2: Finnish \(1 document\): found by words alone\.\n {2}Run "alcove model download multilingual-e5-small" \(135 MB\), start the server again, then run "alcove reindex 1 --model multilingual-e5-small": it embeds 3 windows, .+\nNo problems found in 3 documents\.\n$/,
    )
    const { notices } = JSON.parse((await alcove(['doctor', '--json'])).stdout) as VerifyReport
    expect(notices).toMatchObject([{ code: 'language-unknown', subject: { contextId: 1, model: 'all-MiniLM-L6-v2' } }])
  })

  it('reports each problem and its remedy, and repairs it only with --repair', async () => {
    await loseVectors(1)
    const first = await alcove(['doctor'])
    expect(first).toMatchObject({ exitCode: 1, stderr: '' })
    expect(first.stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^vectors-missing: Document [0-9a-f-]{36} \(leave\.txt\) has 0 vectors for 1 windows\.$/),
      '  Repairing processes the document a second time, from the bytes as they were received.',
      '"alcove doctor --repair" can repair 1 of them.',
      '1 problem, 0 repaired',
    ])
    // Checking has repaired nothing.
    const second = await alcove(['--json', 'doctor'])
    expect(second.exitCode).toBe(1)
    expect((JSON.parse(second.stdout) as VerifyReport).problems).toMatchObject([
      { code: 'vectors-missing', subject: { contextId: 1, documentId: 1 }, isRepairable: true, isRepaired: false },
    ])
    const third = await alcove(['doctor', '--repair'])
    expect(third).toMatchObject({ exitCode: 0, stderr: '' })
    expect(third.stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^vectors-missing: .* has 0 vectors for 1 windows\. Repaired\.$/),
      '1 problem, 1 repaired',
    ])
    expect(await alcove(['doctor'])).toMatchObject({ exitCode: 0 })
    const { stdout } = await alcove(['search', 'How long is parental leave?', '--context', 'C'])
    expect(stdout).toContain('eighteen weeks')
  })

  it('reports problems that it cannot repair and files that the sweep removes; ALCOVE_REPAIR switches the repair on', async () => {
    const [folderName = ''] = await readdir(join(dataDir, 'files'))
    const [uuid = ''] = await readdir(join(dataDir, 'files', folderName))
    await rm(join(dataDir, 'files', folderName, uuid))
    await writeFile(join(dataDir, 'files', folderName, `${folderName}000000-0000-4000-8000-000000000001`), 'orphan')
    expect(await alcove(['doctor'], { ALCOVE_REPAIR: '0' })).toMatchObject({ exitCode: 1 })
    const { exitCode, stdout } = await alcove(['doctor', '--json'], { ALCOVE_REPAIR: '1' })
    expect(exitCode).toBe(1)
    const report = JSON.parse(stdout) as VerifyReport
    expect(report.isHealthy).toBe(false)
    expect(report.problems.map(({ code, isRepaired }) => [code, isRepaired])).toEqual([
      ['file-missing', false],
      ['file-without-document', true],
    ])
    expect((await alcove(['doctor'])).stdout.trim().split('\n').at(-1)).toBe('1 problem, 0 repaired')
  })

  it.each([
    ['documents', 'metadata', 'documents'],
    ['contexts', 'starter_prompts', 'context', 'list'],
  ])(
    'reports a damaged value in %s.%s, and another command says so in one sentence',
    async (table, column, ...command) => {
      const knex = openSqlite(join(dataDir, 'alcove.sqlite'))
      await knex(`alcove_${table}`).update({ [column]: '\u0001"secret"' })
      await knex.destroy()
      const problem = `the database is damaged (a value of ${column} is no JSON); restore it from a backup`
      const { exitCode, stdout, stderr } = await alcove(['doctor'])
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
      expect(stdout).toContain(`database-damaged: The database is damaged: It cannot be read: ${problem}.\n`)
      const args = command[0] === 'documents' ? ['--context', '1'] : []
      const told = `alcove: ${problem} (ERR_STORAGE)\n`
      expect(await alcove([...command, ...args])).toMatchObject({ exitCode: 1, stdout: '', stderr: told })
    },
  )

  it('refuses a folder that another process uses, and a folder that does not exist', async () => {
    const missing = await alcove(['doctor', '--data-dir', 'nowhere'])
    expect(missing).toMatchObject({ exitCode: 1, stdout: '' })
    expect(missing.stderr).toContain('run "alcove init" first (ERR_NOT_INITIALIZED)')
    const engine = await openLocalEngine({ dataDir })
    for (const args of [['doctor'], ['doctor', '--repair'], ['doctor', '--json']]) {
      const { exitCode, stdout, stderr } = await runAlcove(args, { cwd: folder.path })
      expect([exitCode, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(
        new RegExp(`in use by another process \\(pid ${process.pid}\\).*\\(ERR_DATA_DIR_LOCKED\\)\n$`),
      )
    }
    await engine.close()
  })
})
