import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { NEW_CONTEXT, uploadText } from '../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { type Outcome, startAlcove } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'
import { type Served, serveAlcove } from './serve/serve-alcove.js'

const BINARY = join(import.meta.dirname, '../../../dist/adapters/cli/bin.js')

const TEXT = 'The lamp is in the hall, beside the old clock.'

let template: Awaited<ReturnType<typeof temporaryFolder>>
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let served: Served | undefined

beforeAll(async () => {
  template = await temporaryFolder()
  const engine = await openLocalEngine({ dataDir: template.path })
  const session = engine.as(engine.owner)
  const { id } = await session.contexts.create({ ...NEW_CONTEXT, name: 'C' })
  await uploadText(session, id, 'lamp.txt', TEXT)
  await engine.close()
})

beforeEach(async () => {
  folder = await temporaryFolder()
  await cp(template.path, inFolder('alcove-data'), { recursive: true })
})

afterAll(async () => {
  await template.remove()
})

afterEach(async () => {
  await served?.stop()
  served = undefined
  await folder.remove()
})

const alcove = async (...args: readonly string[]): Promise<Outcome> => await runAlcoveHere(args, { cwd: folder.path })
const inFolder = (...names: readonly string[]): string => join(folder.path, ...names)

describe('alcove backup and alcove restore', () => {
  it('report what they did and which keys to keep secret; a search of the restored folder finds the same', async () => {
    const backup = await alcove('backup', 'b.tar')
    expect(backup.exitCode).toBe(0)
    expect(backup.stdout).toMatch(/^Backed up 1 document of 1 context to \S+b\.tar \(\d+\.\d kB\)\.\n$/)
    expect(backup.stderr).toMatch(/^keep \S+b\.tar as secret as the data folder: .*\n$/)
    const restore = await alcove('restore', 'b.tar', '--data-dir', 'new')
    expect(restore.exitCode).toBe(0)
    expect(restore.stdout).toMatch(/^Restored 1 document of 1 context to \S+new, as of \d{4}-\S+Z\.\n$/)
    expect(restore.stderr).toBe('')
    const [one, other] = [
      await alcove('search', '--json', '--context', 'C', 'lamp'),
      await alcove('search', '--json', '--context', 'C', 'lamp', '--data-dir', 'new'),
    ]
    expect(JSON.parse(other.stdout)).toEqual(JSON.parse(one.stdout))
  })

  it('print one JSON value each with --json, beside a running server', async () => {
    served = await serveAlcove([], { cwd: folder.path })
    const { stdout, exitCode } = await alcove('backup', '--json', 'b.tar')
    expect(exitCode).toBe(0)
    const { size } = await stat(inFolder('b.tar'))
    expect(JSON.parse(stdout)).toEqual({
      file: expect.stringMatching(/b\.tar$/) as string,
      bytes: size,
      created: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      contexts: 1,
      documents: 1,
      files: 1,
      collections: 1,
      vectors: 1,
      wordCollections: 1,
      indexedChunks: 1,
      hasSecretKey: true,
      documentsWithoutFile: [],
      documentsWithOtherBytes: [],
      documentsWithoutVectors: [],
    })
    const restored = await alcove('--json', 'restore', 'b.tar', '--data-dir', 'new')
    expect(JSON.parse(restored.stdout)).toMatchObject({
      documents: 1,
      files: 1,
      pendingDeliveries: 0,
      hasSecretKey: true,
    })
    expect((await alcove('documents', '--context', 'C')).exitCode).toBe(0)
  })

  it('overwrite a file only with --force, and restore into no existing folder', async () => {
    await writeFile(inFolder('b.tar'), 'mine')
    const refused = await alcove('backup', 'b.tar')
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^alcove: .* exists: use another file.*--force\) \(ERR_INVALID_INPUT\)\n$/)
    expect(await readFile(inFolder('b.tar'), 'utf8')).toBe('mine')
    expect((await alcove('backup', '--force', 'b.tar')).exitCode).toBe(0)
    const restore = await alcove('restore', 'b.tar')
    expect(restore).toMatchObject({ exitCode: 1, stdout: '' })
    expect(restore.stderr).toMatch(/^alcove: .*nothing was changed \(ERR_DATA_DIR_UNUSABLE\)\n$/)
  })

  it('report which key the restored folder needs after a backup without keys, and that key works', async () => {
    const backup = await alcove('backup', '--without-keys', 'b.tar')
    expect(backup.stderr).toMatch(/^the backup does not contain the key that encrypts the secrets: .*\n$/)
    const restore = await alcove('restore', 'b.tar', '--data-dir', 'new')
    expect(restore.stderr).toMatch(/copy it to \S+secret-key, or give its file with --secret-key-file\n$/)
    expect((await alcove('context', 'list', '--data-dir', 'new')).stderr).toContain('ERR_SECRET_KEY')
    const key = inFolder('alcove-data', 'keys', 'secret-key')
    expect((await alcove('context', 'list', '--data-dir', 'new', '--secret-key-file', key)).exitCode).toBe(0)
  })

  it('exit with 1 and name the document when a document of the folder is damaged', async () => {
    await rm(inFolder('alcove-data', 'files'), { recursive: true })
    const { exitCode, stdout, stderr } = await alcove('backup', 'b.tar')
    expect(exitCode).toBe(1)
    expect(stdout).toContain('Backed up 1 document')
    expect(stderr).toMatch(/\n[0-9a-f-]{36}: its file is missing in the data folder and in the backup\n$/)
    expect((await alcove('restore', 'b.tar', '--data-dir', 'new')).exitCode).toBe(0)
  })

  it('report in one line that the file is not a backup, or that the folder is not initialised', async () => {
    await writeFile(inFolder('b.tar'), 'no backup')
    const restore = await alcove('restore', 'b.tar', '--data-dir', 'new')
    expect(restore).toMatchObject({ exitCode: 1, stdout: '' })
    expect(restore.stderr).toMatch(/^alcove: cannot restore \S+b\.tar: it is not a backup .*\(ERR_BACKUP_INVALID\)\n$/)
    expect((await readdir(folder.path)).sort()).toEqual(['alcove-data', 'b.tar'])
    const backup = await alcove('backup', 'c.tar', '--data-dir', 'none')
    expect(backup.stderr).toMatch(/^alcove: .*run "alcove init" first \(ERR_NOT_INITIALIZED\)\n$/)
  })

  it.skipIf(process.platform === 'win32')('leave no partial file when the disk is full', async () => {
    await alcove('backup', 'b.tar')
    await mkdir(inFolder('small'))
    // The limit for one file stands for a full disk: a write beyond it fails in the same way.
    const limited = async (kilobytes: number, ...args: readonly string[]): Promise<Outcome> => {
      const script = `ulimit -f ${kilobytes}; exec "$0" "$@"`
      const options = { cwd: folder.path }
      return await promisify(execFile)('bash', ['-c', script, process.execPath, BINARY, ...args], options).then(
        ({ stdout, stderr }) => ({ exitCode: 0, stdout, stderr }),
        (error: unknown) => {
          const { code, stdout, stderr } = error as Outcome & { readonly code: number }
          return { exitCode: code, stdout, stderr }
        },
      )
    }
    // The first limit is below the size of the database, the second between that and the size of the whole.
    const whole = (await stat(inFolder('b.tar'))).size
    for (const kilobytes of [100, Math.floor(whole / 1_024) - 1]) {
      const backup = await limited(kilobytes, 'backup', join('small', 'b.tar'))
      expect(backup).toMatchObject({ exitCode: 1, stdout: '' })
      expect(backup.stderr).toMatch(/^alcove: .*\(ERR_(BACKUP_FAILED|STORAGE)\)\n$/)
      expect(await readdir(inFolder('small'))).toEqual([])
    }
    const restore = await limited(100, 'restore', 'b.tar', '--data-dir', 'new')
    expect(restore.stderr).toMatch(/^alcove: .*no partial result remains \(ERR_BACKUP_FAILED\)\n$/)
    expect((await readdir(folder.path)).sort()).toEqual(['alcove-data', 'b.tar', 'small'])
    expect((await readdir(inFolder('alcove-data'))).filter((name) => name.includes('unfinished'))).toEqual([])
    expect((await alcove('backup', join('small', 'b.tar'))).exitCode).toBe(0)
  })

  it('leave no partial file when the user interrupts', async () => {
    const { child, outcome } = startAlcove(['backup', 'b.tar'], { cwd: folder.path })
    const isUnderWay = async (): Promise<boolean> =>
      (await readdir(inFolder('alcove-data'))).some((name) => name.startsWith('unfinished'))
    while (child.exitCode === null && !(await isUnderWay())) await setTimeout(2)
    child.kill('SIGINT')
    const { exitCode, stdout } = await outcome
    expect([130, 0]).toContain(exitCode)
    if (exitCode === 130) {
      expect(stdout).toBe('')
      expect((await readdir(folder.path)).sort()).toEqual(['alcove-data'])
    }
    expect(await isUnderWay()).toBe(false)
    expect((await alcove('backup', '--force', 'b.tar')).exitCode).toBe(0)
  })
})
