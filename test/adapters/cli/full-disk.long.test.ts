import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { canMountDisks, onSmallDisk } from '../../small-disk.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { runAlcove, startAlcove } from './run-alcove.js'

/** Any of the parts may find it full first. */
const WAITING =
  /^waiting: the disk with the \w+ is full: free some space, then the work continues \(ERR_STORAGE_FULL\)$/
const ENDED =
  /^alcove: the disk with the \w+ is full: free some space, then run the command again \(ERR_STORAGE_FULL\)$/

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let disk: string

beforeEach(async () => {
  folder = await temporaryFolder()
  disk = join(folder.path, 'disk')
})

afterEach(async () => {
  await folder.remove()
})

/** Commands of a shell that fill the disk, but for some bytes. */
function fillAllBut(bytes: number): string {
  return `head -c $(($(df -Pk "$0" | awk 'NR == 2 { print $4 }') * 1024 - ${bytes})) /dev/zero > "$0/filler"`
}

/** Room for the upload of {@link writeLamps}. */
const UPLOAD_BYTES = 393_216

/** A context, and a disk with just enough room for an upload, but not for its processing. */
const ALMOST_FULL = `
  "$1" "$2" init > /dev/null; "$1" "$2" context create Lamps > /dev/null
  ${fillAllBut(UPLOAD_BYTES)}`

describe.skipIf(!(await canMountDisks()))(
  'a disk that fills during processing, or is read-only (skipped where none can be mounted)',
  () => {
    it('ends a demo by the reason and removes its folder', async () => {
      const startedBy = onSmallDisk(disk, 2)
      const { exitCode, stderr } = await runAlcove(['demo'], { cwd: folder.path, env: { TMPDIR: disk }, startedBy })
      expect(stderr.split('\n').at(-2)).toMatch(ENDED)
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
      ${fillAllBut(196_608)}
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
      expect((await written('stderr')).trimEnd()).toMatch(ENDED)
      expect(await written('stdout')).toBe('')
      const left = (await written('after')).split('\n').filter((line) => line !== '' && !line.endsWith(':'))
      expect(left.filter((line) => !line.startsWith('ls: '))).toEqual(
        (await written('before')).trim().split('\n').sort(),
      )
      expect(exitCode).toBe(0)
      expect(stdout).toContain('API key: client id')
    })

    it('with no room for the copy of a backup is named with the remedy, and leaves nothing behind', async () => {
      const script = `
      export ALCOVE_DATA_DIR="$0/data"
      "$1" "$2" init > /dev/null
      ${fillAllBut(131_072)}
      ! "$1" "$2" backup "$0/../full.tar" 2> "$0/../stderr"
      ls -A "$0/data" > "$0/../left"`
      const temp = join(folder.path, 'temp')
      await mkdir(temp)
      const { exitCode } = await runAlcove(['backup', join(folder.path, 'b.tar'), '--temp-dir', temp], {
        cwd: folder.path,
        env: { ALCOVE_DATA_DIR: join(disk, 'data') },
        startedBy: onSmallDisk(disk, 8, script),
      })
      const written = async (name: string): Promise<string> => await readFile(join(folder.path, name), 'utf8')
      expect(await written('stderr')).toBe(
        `alcove: the backup ${join(folder.path, 'full.tar')} failed: the disk with ${join(disk, 'data')} has no room for the copy of the data that a backup needs: free some space, or name a folder on another disk with tempDir (--temp-dir); no partial result remains (ERR_BACKUP_FAILED)\n`,
      )
      expect(await written('left')).not.toContain('unfinished')
      expect((await readdir(folder.path)).filter((name) => name.endsWith('.tar'))).toEqual(['b.tar'])
      expect(exitCode).toBe(0)
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
        const reasons = told.split('\n').filter((line) => line.startsWith('waiting'))
        for (const reason of reasons) expect(reason).toMatch(WAITING)
        expect(new Set(reasons).size).toBe(reasons.length)
        expect({ exitCode, told }).toMatchObject({ exitCode: 0 })
      },
    )
  },
)

/** One file: beside the processing of a first one, the upload of a second one may find no room. */
async function writeLamps(path: string): Promise<void> {
  await mkdir(path)
  const lines = Array.from({ length: 3_000 }, (_, at) => `Lamp ${at} stands in garden ${(at * 7919) % 1009}.`)
  await writeFile(join(path, 'lamps.txt'), lines.join('\n'))
}
