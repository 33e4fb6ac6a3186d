import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../temporary-folder.js'
import type { FullDiskReport, Part } from './full-disk-child.js'

/** Runs a command in a namespace of its own, in which the small disk is mounted: it is gone with its process. */
const UNSHARE = ['--map-root-user', '--mount']
const MOUNT = 'mkdir -p "$0/disk" && mount -t tmpfs -o size=8m tmpfs "$0/disk"'

const canMount = await temporaryFolder().then(async ({ path, remove }) => {
  try {
    execFileSync('unshare', [...UNSHARE, 'sh', '-c', MOUNT, path], { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    await remove()
  }
})

describe.skipIf(!canMount)('a disk that is full (ENOSPC on a tmpfs; skipped where none can be mounted)', () => {
  it('of the files: the upload is refused and leaves nothing; what is there goes on', async () => {
    const report = await run('files')
    expect(report).toMatchObject({
      ...AT_THE_END,
      isFree: true,
      left: [],
      after: ['completed', 'completed', 'completed'],
    })
    expect(report.upload).toBe('ERR_STORAGE_FULL: the disk with the files is full: make room, and it goes on')
    expect(report.search).toMatch(/results$/)
    expect(report.during).toEqual(['completed', 'completed'])
  }, 120_000)

  it('of the database: uploads are refused, what is under way waits, and both go on once there is room', async () => {
    const report = await run('database')
    expect(report).toMatchObject({ ...AT_THE_END, ...WAITED, after: ['completed', 'completed', 'completed'] })
    expect(report.upload).toBe('ERR_STORAGE_FULL: the disk with the database is full: make room, and it goes on')
    expect(report.search).toMatch(/results$/)
    expect(report.during).toEqual(['completed', 'waits'])
  }, 120_000)

  it('of the vectors: what is under way waits, and goes on once there is room', async () => {
    const report = await run('vectors')
    expect(report).toMatchObject({ ...AT_THE_END, ...WAITED, upload: 'accepted', isFree: true })
    expect(report.during).toEqual(['completed', 'waits', 'waits'])
    expect(report.after).toEqual(['completed', 'completed', 'completed', 'completed'])
  }, 120_000)
})

const AT_THE_END = { problems: [] }
const WAITED = { failures: ['ERR_STORAGE_FULL'] }

async function run(part: Part): Promise<FullDiskReport> {
  const folder = await temporaryFolder()
  const script = join(import.meta.dirname, 'full-disk-child.ts')
  const command = `${MOUNT} && exec "$1" --import tsx "$2" "$3" "$0"`
  const child = spawn('unshare', [...UNSHARE, 'sh', '-c', command, folder.path, process.execPath, script, part], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let report: FullDiskReport | undefined
  child.on('message', (message) => {
    report = message as FullDiskReport
  })
  await once(child, 'exit')
  await folder.remove()
  if (report === undefined) throw new Error(`the process ended with ${child.exitCode ?? child.signalCode ?? ''}`)
  return report
}
