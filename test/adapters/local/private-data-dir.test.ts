import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, lstat, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalDatabase, openLocalEngine } from '../../../adapters/local/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { runAlcove } from '../cli/run-alcove.js'

const CHILD = join(import.meta.dirname, 'private-child.mjs')
const BINARY = join(import.meta.dirname, '../../../dist/adapters/cli/bin.js')
const isUnix = process.platform !== 'win32'
const NOBODY = 65_534
/** Root can become another user, except in a user namespace without one. */
const canBeNobody =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, ['--version'], { uid: NOBODY, gid: NOBODY }).error === undefined

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
})

afterEach(async () => {
  await folder.remove()
})

/** Each file and folder that others may read, write or enter, with its mode. */
async function openTo(others: number, path: string): Promise<string[]> {
  const { mode } = await lstat(path)
  const own = (mode & others) === 0 ? [] : [`${(mode & 0o777).toString(8)} ${relative(folder.path, path)}`]
  if ((mode & 0o170_000) !== 0o040_000) return own
  const inside = await Promise.all((await readdir(path)).map((name) => openTo(others, join(path, name))))
  return [...own, ...inside.flat()]
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

async function runChild(umask: string, end: 'close' | 'leave', uid?: number) {
  const child = spawn(process.execPath, [CHILD, dataDir, umask, end], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  })
  const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { exitCode: child.exitCode, stderr }
}

/** LanceDB sets no modes: the files below its folders follow the umask of the host. */
const outsideOfIndexes = (paths: readonly string[]): string[] =>
  paths.filter((path) => !/\/(vectors|words)\//.test(path))

// A60
describe.runIf(isUnix)('a data folder', () => {
  it.each(['0', '022', '077'])(
    'is accessible to its owner only under the umask %s, even while an engine uses it',
    async (umask) => {
      expect(await runChild(umask, 'leave')).toEqual({ exitCode: 0, stderr: '' })
      const names = await readdir(dataDir)
      expect(names).toEqual(expect.arrayContaining(['alcove.sqlite', 'alcove.sqlite-wal', 'files', 'keys', 'mail']))
      expect(outsideOfIndexes(await openTo(0o077, dataDir))).toEqual([])
      for (const index of ['vectors', 'words']) expect(await modeOf(join(dataDir, index))).toBe('700')
    },
  )

  it('of the command line is private down to the last file, including those of libraries', async () => {
    const script = `umask 0; exec "$0" "$@"`
    const alcove = async (...args: readonly string[]): Promise<number | null> => {
      const child = spawn('sh', ['-c', script, process.execPath, BINARY, ...args, '--data-dir', dataDir], {
        cwd: folder.path,
        stdio: 'ignore',
      })
      await once(child, 'close')
      return child.exitCode
    }
    await writeFile(join(folder.path, 'leave.txt'), 'Parental leave takes eighteen weeks.')
    expect(await alcove('init')).toBe(0)
    expect(await alcove('context', 'create', 'Handbook')).toBe(0)
    expect(await alcove('ingest', '--context', 'Handbook', 'leave.txt')).toBe(0)
    expect(await alcove('backup', join(dataDir, '..', 'copy.tar'))).toBe(0)
    expect(await readdir(join(dataDir, 'vectors'))).not.toEqual([])
    expect(await openTo(0o077, dataDir)).toEqual([])
    expect(await modeOf(join(folder.path, 'copy.tar'))).toBe('600')
  })
})

// A61
describe.runIf(isUnix)('a data folder that others can read', () => {
  it('is made private with all of its content, and still works', async () => {
    await (await openLocalEngine({ dataDir })).close()
    await chmod(dataDir, 0o755)
    for (const name of await readdir(dataDir)) await chmod(join(dataDir, name), 0o755)
    await (await openLocalEngine({ dataDir })).close()
    expect(await modeOf(dataDir)).toBe('700')
    expect(await openTo(0o077, dataDir)).toEqual([])
  })

  it('is also made private by a command on the database alone', async () => {
    await (await openLocalEngine({ dataDir })).close()
    await chmod(dataDir, 0o777)
    await chmod(join(dataDir, 'alcove.sqlite'), 0o666)
    await (await openLocalDatabase({ dataDir })).close()
    expect([await modeOf(dataDir), await modeOf(join(dataDir, 'alcove.sqlite'))]).toEqual(['700', '600'])
  })

  it('is accepted when it is empty, like a new volume', async () => {
    await mkdir(join(dataDir, 'lost+found'), { recursive: true })
    await chmod(dataDir, 0o755)
    await (await openLocalEngine({ dataDir })).close()
    expect(await modeOf(dataDir)).toBe('700')
  })

  it('is refused without a change when it is a folder for all users, like an empty /tmp', async () => {
    await mkdir(dataDir)
    await chmod(dataDir, 0o1777)
    await expect(openLocalEngine({ dataDir })).rejects.toThrow(
      `other users can read ${dataDir} (mode 1777), and it is a folder for the files of all users: use a new folder inside it`,
    )
    expect(((await stat(dataDir)).mode & 0o7777).toString(8)).toBe('1777')
  })

  it('is refused without a change when it contains files that others may need', async () => {
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'index.html'), 'a page')
    await chmod(dataDir, 0o755)
    const { exitCode, stderr } = await runAlcove(['init', '--data-dir', dataDir], { cwd: folder.path })
    expect(exitCode).toBe(1)
    expect(stderr).toContain(
      `other users can read ${dataDir} (mode 0755), and it contains files that are not the engine’s`,
    )
    expect(stderr).toContain('use a new folder inside it')
    expect([await modeOf(dataDir), await readdir(dataDir)]).toEqual(['755', ['index.html']])
    const inner = join(dataDir, 'data')
    await (await openLocalEngine({ dataDir: inner })).close()
    expect([await modeOf(inner), await modeOf(dataDir)]).toEqual(['700', '755'])
  })

  it.runIf(canBeNobody)('is refused when it belongs to another user', async () => {
    await mkdir(dataDir)
    await chmod(folder.path, 0o755)
    await chmod(dataDir, 0o777)
    const { exitCode, stderr } = await runChild('022', 'close', NOBODY)
    expect(stderr).toContain(
      `ERR_DATA_DIR_UNUSABLE: other users can read ${dataDir} (mode 0777), and it belongs to another user`,
    )
    expect(exitCode).toBe(1)
    expect(await readdir(dataDir)).toEqual([])
    await chown(dataDir, NOBODY, NOBODY)
    expect(await runChild('022', 'close', NOBODY)).toEqual({ exitCode: 0, stderr: '' })
  })
})
