import { execFileSync } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runAlcove } from '../../adapters/cli/run-alcove.js'
import { fill, makeRoom } from '../full-disk/small-disk.js'
import type { DiskLog } from './disk-log.js'
import { ServedFolder, until } from './served-folder.js'

const FULL = 'ERR_STORAGE_FULL'
const WAIT_MS = 60_000
const DISK_MB = 32
/** Each round adds documents, and the backup at its end is written beside the one before. */
const ROUND_MB = 16
/** Bytes that are left at the beginning of the processing. With more of them, a later part finds the disk full. */
const SPARE_BYTES = [1_048_576, 262_144, 65_536, 0]

/** A served folder on a small disk, which fills at each step of the work. Each step continues once there is room. */
export async function fullDiskRounds(
  root: string,
  log: DiskLog,
  { rounds, isShort }: { readonly rounds: number; readonly isShort: boolean },
): Promise<void> {
  const disk = join(root, 'small')
  await mkdir(disk)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB + rounds * ROUND_MB}m`, 'tmpfs', disk])
  const dataDir = join(disk, 'data')
  const served = await ServedFolder.start(dataDir, root)
  const search = async (when: string): Promise<void> => {
    log.checkFound(`a search ${when}`, await served.search('a lamp in the garden'))
  }
  const completes = async (name: string): Promise<void> => {
    const isDone = await until(async () => (await served.document(name))?.completed != null, WAIT_MS)
    log.check(
      `${name} is completed once there is room`,
      isDone,
      await served.document(name).then((found) => found?.error ?? found?.waiting ?? 'completed'),
    )
  }
  await served.upload('first.txt', lamps(1, 20))
  await completes('first.txt')
  for (let round = 1; round <= rounds; round += 1) {
    log.begin(`round ${round}: the disk is full at an upload`)
    await fill(disk)
    log.checkRefused('the upload', await served.upload(`upload-${round}.txt`, lamps(round, 6_000)), FULL)
    await search('on a full disk')
    await makeRoom(disk)
    await served.upload(`upload-${round}.txt`, lamps(round, 100))
    await completes(`upload-${round}.txt`)
    for (const spare of isShort ? SPARE_BYTES.slice(0, 1) : SPARE_BYTES) {
      log.begin(`round ${round}: the disk has ${spare} bytes at the beginning of the processing`)
      const name = `processed-${round}-${spare}.txt`
      const { status } = await served.upload(name, lamps(round + spare, 3_000))
      await fill(disk, spare)
      log.check('the upload', status === 200, status)
      let waiting = ''
      await until(async () => {
        const document = await served.document(name)
        waiting = document?.waiting ?? ''
        return waiting !== '' || document?.completed != null || document?.error != null
      }, WAIT_MS)
      const found = await served.document(name)
      log.check(
        'the document',
        waiting.includes(FULL) || found?.completed != null,
        waiting || (found?.error ?? 'completed'),
      )
      await search('while it waits')
      await makeRoom(disk)
      await completes(name)
    }
    log.begin(`round ${round}: the disk is full at a backup`)
    await fill(disk, 65_536)
    const args = ['backup', join(disk, 'backup.tar'), '--force', '--data-dir', dataDir]
    const failed = await runAlcove(args, { cwd: root })
    log.check('the backup', failed.exitCode === 1 && failed.stderr.split('\n').length === 2, failed.stderr.trim())
    const left = [...(await readdir(disk)), ...(await readdir(dataDir))].filter((name) => name.includes('backup'))
    log.check('nothing is left of it', left.length === 0 || left.join() === 'backup.tar', left)
    await search('after it')
    await makeRoom(disk)
    const { exitCode, stdout, stderr } = await runAlcove(args, { cwd: root })
    log.check('the next one', exitCode === 0, (stdout + stderr).trim())
  }
  await endWell(served, dataDir, root, log)
}

/** Stops a server, which has run without a restart, and checks its folder. */
export async function endWell(served: ServedFolder, dataDir: string, cwd: string, log: DiskLog): Promise<void> {
  log.check('the server ends with', (await served.stop()) === 0, 'code 0')
  const { exitCode, stdout, stderr } = await runAlcove(['doctor', '--data-dir', dataDir], { cwd })
  log.check('doctor', exitCode === 0, (stdout + stderr).trim())
}

/** A text of lines that differ from those of another seed. */
export function lamps(seed: number, lines: number): string {
  return Array.from(
    { length: lines },
    (_, at) => `Lamp ${seed}-${at} stands in garden ${(at * 7_919 + seed) % 1_009} and shines ${at % 24} hours.`,
  ).join('\n')
}
