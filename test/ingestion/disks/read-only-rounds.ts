import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runAlcove } from '../../adapters/cli/run-alcove.js'
import { codeOf, type DiskLog } from './disk-log.js'
import { endWell, lamps } from './full-disk-rounds.js'
import { ServedFolder, until } from './served-folder.js'

const READ_ONLY = 'ERR_STORAGE_READ_ONLY'
const WAIT_MS = 60_000
const HEALTH_MS = 3_000
/** The folders that turn read-only: the data folder as a whole, and its parts. */
const FOLDERS = ['', 'vectors', 'words', 'files']

/** A served folder, of which one part after the other turns read-only and back. The server is never restarted. */
export async function readOnlyRounds(root: string, log: DiskLog, rounds: number): Promise<void> {
  const dataDir = join(root, 'data')
  const served = await ServedFolder.start(dataDir, root)
  await served.upload('first.txt', lamps(1, 20))
  await until(async () => (await served.document('first.txt'))?.completed != null, WAIT_MS)
  for (let round = 1; round <= rounds; round += 1) {
    for (const part of FOLDERS) {
      log.begin(`round ${round}: ${part === '' ? 'the data folder' : part} turns read-only and back`)
      const folder = join(dataDir, part)
      const name = `${part || 'data'}-${round}.txt`
      execFileSync('mount', ['--bind', folder, folder])
      execFileSync('mount', ['-o', 'remount,bind,ro', folder])
      // Callers within a second share one check.
      await until(async () => (await served.send('/health')).status === 503, HEALTH_MS)
      const health = await served.send('/health')
      const { reasons = {} } = health.body as { readonly reasons?: Readonly<Record<string, string>> }
      const words = Object.values(reasons).join(', ')
      log.check('health', health.status === 503 && words.includes('is read-only'), `${health.status} ${words}`)
      log.checkFound('a search', await served.search('a lamp in the garden'))
      const uploaded = await served.upload(name, lamps(round + part.length, 100))
      if (uploaded.status !== 200) log.checkRefused('an upload', uploaded, READ_ONLY)
      else {
        await until(async () => (await served.document(name))?.waiting != null, 5_000)
        log.check('an upload is kept', true, (await served.document(name))?.waiting ?? 'it does not wait')
      }
      execFileSync('umount', ['-l', folder])
      const isWell = await until(async () => (await served.send('/health')).status === 200, WAIT_MS)
      log.check('health afterwards', isWell, codeOf((await served.send('/health')).body))
      log.checkFound('a search afterwards', await served.search('a lamp in the garden'))
      if (uploaded.status !== 200) await served.upload(name, lamps(round + part.length, 100))
      const isDone = await until(async () => (await served.document(name))?.completed != null, WAIT_MS)
      log.check('the document is completed', isDone, (await served.document(name))?.waiting ?? 'completed')
    }
  }
  await endWell(served, dataDir, root, log)
}

/** All is read-only but the data folder, as in a container: root, home, /tmp and the current folder. */
export async function readOnlyRoot(root: string, log: DiskLog): Promise<void> {
  log.begin('everything but the data folder is read-only')
  const volume = join(root, 'volume')
  execFileSync('mkdir', [volume])
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', volume])
  execFileSync('sh', ['-c', 'echo "A lamp in the garden." > "$0/a.txt"', volume])
  execFileSync('mount', ['-o', 'remount,bind,ro', '/'])
  // Both may be disks of their own. The disk of the volume, which is below, stays as it is.
  for (const folder of new Set(['/tmp', tmpdir()])) {
    if (!isWritable(folder)) continue
    execFileSync('mount', ['--rbind', folder, folder])
    execFileSync('mount', ['-o', 'remount,bind,ro', folder])
  }
  const dataDir = join(volume, 'data')
  const run = async (...args: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runAlcove(args, { cwd: '/', env: { ALCOVE_DATA_DIR: dataDir } })
    const shown = `${exitCode}: ${(stdout || stderr).trim().split('\n')[0] ?? ''}`
    return shown
  }
  for (const folder of ['/tmp', tmpdir()])
    log.check(folder, !isWritable(folder), isWritable(folder) ? 'is writable' : 'is read-only')
  const refused = await run('init', '--data-dir', '/alcove-of-a-soak')
  log.check('init in the root', refused.startsWith('1: alcove: ') && refused.includes('ERR_DATA_DIR_UNUSABLE'), refused)
  const demo = await run('demo')
  log.check('demo', demo.startsWith('1: alcove: cannot make a folder for the demo'), demo)
  for (const args of [
    ['context', 'create', 'Ready'],
    ['ingest', '--context', 'Ready', join(volume, 'a.txt')],
    ['search', '--context', 'Ready', 'lamp'],
    ['doctor'],
    ['backup', join(volume, 'backup.tar')],
  ]) {
    if (args[0] === 'context') {
      const made = await run('init')
      log.check('init', made.startsWith('0: '), made)
    }
    const seen = await run(...args)
    log.check(args[0] ?? '', seen.startsWith('0: '), seen)
  }
  const served = await ServedFolder.start(join(volume, 'served'), '/')
  log.check('health of serve', (await served.send('/health')).status === 200, served.address)
  await served.upload('first.txt', lamps(1, 20))
  await until(async () => (await served.document('first.txt'))?.completed != null, WAIT_MS)
  log.checkFound('a search over REST', await served.search('a lamp in the garden'))
  await endWell(served, join(volume, 'served'), '/', log)
}

function isWritable(folder: string): boolean {
  try {
    execFileSync('sh', ['-c', 'f=$(mktemp -p "$0") && rm "$f"', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
