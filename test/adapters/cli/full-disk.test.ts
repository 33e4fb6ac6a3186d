import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canMountDisks, onSmallDisk } from '../../small-disk.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { runAlcove, startAlcove } from './run-alcove.js'

const FULL = 'the disk with the database is full: free some space, then the work continues (ERR_STORAGE_FULL)'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let disk: string

beforeEach(async () => {
  folder = await temporaryFolder()
  disk = join(folder.path, 'disk')
})

afterEach(async () => {
  await folder.remove()
})

/** A context, and a disk with just enough room for an upload, but not for its processing. */
const ALMOST_FULL = `
  "$1" "$2" init > /dev/null; "$1" "$2" context create Lamps > /dev/null
  head -c 7300000 /dev/zero > "$0/filler"`

describe.skipIf(!(await canMountDisks()))(
  'a disk that fills during processing, or is read-only (skipped where none can be mounted)',
  () => {
    it('ends a demo by the reason and removes its folder', async () => {
      const startedBy = onSmallDisk(disk, 2)
      const { exitCode, stderr } = await runAlcove(['demo'], { cwd: folder.path, env: { TMPDIR: disk }, startedBy })
      expect(stderr.split('\n').at(-2)).toBe(`alcove: ${FULL}`)
      expect(exitCode).toBe(1)
    })

    it('is no place for a demo where it is read-only, which a sentence says; another one is', async () => {
      const startedBy = onSmallDisk(disk, 2, 'mount -o remount,ro "$0"')
      const options = { cwd: folder.path, env: { TMPDIR: disk }, startedBy }
      expect(await runAlcove(['demo'], options)).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `alcove: cannot make a folder for the demo in ${disk} (EROFS): name one that you may write with --temp-dir (ERR_DATA_DIR_UNUSABLE)\n`,
      })
      const { exitCode } = await runAlcove(['demo', '--temp-dir', join(folder.path, 'other')], options)
      expect(exitCode).toBe(0)
    })

    it.each([
      ['a new folder', 'data', ''],
      ['new folders', 'some/where/data', ''],
      ['an empty folder', 'data', 'mkdir "$0/data"'],
    ])('fails init in %s, which leaves nothing behind; the next one succeeds', async (_, path, prepare) => {
      const script = `${prepare}
      head -c 8200000 /dev/zero > "$0/filler"
      export ALCOVE_DATA_DIR="$0/${path}"
      ls -A "$0" > "$0/../before"
      ! "$1" "$2" init 2> "$0/../stderr" > "$0/../stdout"
      ls -A "$0" "$0/data" > "$0/../after" 2>&1 || true
      rm "$0/filler"`
      const { exitCode, stdout } = await runAlcove(['init'], {
        cwd: folder.path,
        startedBy: onSmallDisk(disk, 8, script),
      })
      const written = async (name: string): Promise<string> => await readFile(join(folder.path, name), 'utf8')
      expect(await written('stderr')).toBe(`alcove: ${FULL}\n`)
      expect(await written('stdout')).toBe('')
      const left = (await written('after')).split('\n').filter((line) => line !== '' && !line.endsWith(':'))
      expect(left.filter((line) => !line.startsWith('ls: '))).toEqual(
        (await written('before')).trim().split('\n').sort(),
      )
      expect(exitCode).toBe(0)
      expect(stdout).toContain('API key: client id')
    })

    it.each([['ingest'], ['sync']])(
      'holds up %s, which says so once and goes on when there is room',
      async (command) => {
        const files = join(folder.path, 'files')
        await writeLamps(files)
        const startedBy = onSmallDisk(disk, 8, ALMOST_FULL)
        const options = { cwd: folder.path, env: { ALCOVE_DATA_DIR: join(disk, 'data') }, startedBy }
        const { child, outcome, stderr } = startAlcove([command, '--context', 'Lamps', files], options)
        await expect.poll(stderr, { timeout: 60_000, interval: 50 }).toContain('waiting')
        const inNamespace = `/proc/${child.pid}/root${disk}`
        expect(await readdir(inNamespace)).toContain('filler')
        await rm(join(inNamespace, 'filler'))
        const { exitCode, stderr: told } = await outcome
        expect(told.split('\n').filter((line) => line.startsWith('waiting'))).toEqual([`waiting: ${FULL}`])
        expect(exitCode).toBe(0)
      },
    )
  },
)

async function writeLamps(path: string): Promise<void> {
  await mkdir(path)
  for (const file of ['a.txt', 'b.txt']) {
    const lines = Array.from(
      { length: 1_500 },
      (_, at) => `${file}: lamp ${at} stands in garden ${(at * 7919) % 1009}.`,
    )
    await writeFile(join(path, file), lines.join('\n'))
  }
}
