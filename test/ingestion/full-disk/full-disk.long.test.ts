import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { childProgram } from '../../child-program.js'
import { canMountDisks, onSmallDisk } from '../../small-disk.js'
import { temporaryFolder } from '../../temporary-folder.js'
import type { FullDiskReport, Part } from './full-disk-child.js'
import type { FullDiskDeletionReport, Parts } from './full-disk-deletion-child.js'

/** The processes mostly wait, for room and for their next attempt, so some of them run at once. */
const describeDisk = describe.skipIf(!(await canMountDisks()))

describeDisk.concurrent('a full disk (ENOSPC on a tmpfs; skipped where none can be mounted)', () => {
  it('for files refuses the upload, which leaves nothing, and stored documents stay usable', async () => {
    const report = await run(UPLOADS, 'files')
    expect(report).toMatchObject({
      ...AT_THE_END,
      isFree: true,
      left: [],
      after: ['completed', 'completed', 'completed'],
    })
    expect(report.upload).toBe(
      'ERR_STORAGE_FULL: the disk with the files is full: free some space, then the work continues',
    )
    expect(report.search).toMatch(/results$/)
    expect(report.during).toEqual(['completed', 'completed'])
  })

  it('for the database refuses uploads and delays processing, and both continue once there is room', async () => {
    const report = await run(UPLOADS, 'database')
    expect(report).toMatchObject({ ...AT_THE_END, ...WAITED, after: ['completed', 'completed', 'completed'] })
    expect(report.upload).toBe(
      'ERR_STORAGE_FULL: the disk with the database is full: free some space, then the work continues',
    )
    expect(report.search).toMatch(/results$/)
    expect(report.during).toEqual(['completed', 'waits'])
  })

  it('for vectors delays processing, which continues once there is room', async () => {
    const report = await run(UPLOADS, 'vectors')
    expect(report).toMatchObject({ ...AT_THE_END, ...WAITED, upload: 'accepted', isFree: true })
    expect(report.during).toEqual(['completed', 'waits', 'waits'])
    expect(report.after).toEqual(['completed', 'completed', 'completed', 'completed'])
  })
})

describeDisk.concurrent('a full disk for words', () => {
  // W68
  it('delays processing, which continues once there is room', async () => {
    const report = await run(UPLOADS, 'words')
    expect(report).toMatchObject({ ...AT_THE_END, ...WAITED, upload: 'accepted', isFree: true })
    expect(report.search).toMatch(/results$/)
    expect(report.during[0]).toBe('completed')
    expect(report.during).toContain('waits')
    expect(report.after).toEqual(['completed', 'completed', 'completed', 'completed'])
  })

  // W68
  it('delays a deletion until the deletion of a context makes room', async () => {
    const report = await run(DELETIONS, 'words')
    expect(report).toMatchObject({ ...AT_THE_END, context: 'done', filesLeft: 0, afterwards: 'done' })
    expect(report.document).not.toBe('hangs')
    expect(report.failures).toBeLessThan(10)
  })
})

describeDisk.concurrent('a deletion on a full disk', () => {
  it('with files, vectors and words makes its own room', async () => {
    const report = await run(DELETIONS, 'files, vectors and words')
    expect(report).toMatchObject({ ...AT_THE_END, document: 'done', context: 'done', filesLeft: 0 })
  })

  it('with everything but a few kilobytes removes the files, and the rest once there is room', async () => {
    const report = await run(DELETIONS, 'everything')
    expect(report).toMatchObject({ ...AT_THE_END, filesLeft: 0, afterwards: 'done' })
    // The deletion goes as far as it can without room. Its record needs only a few bytes, which are not always free.
    expect([report.document, report.context]).not.toContain('hangs')
  })

  it('with the vectors alone waits until the deletion of a context makes room', async () => {
    const report = await run(DELETIONS, 'vectors')
    expect(report).toMatchObject({ ...AT_THE_END, document: 'full', context: 'done', filesLeft: 0, afterwards: 'done' })
    // The backoff keeps waiting jobs from constant retries.
    expect(report.failures).toBeLessThan(10)
  })
})

const AT_THE_END = { problems: [] }
const WAITED = { failures: ['ERR_STORAGE_FULL'] }

/** A program, with the types of its argument and of its report. */
interface Child<Argument extends string, Report> {
  readonly file: string
  readonly types?: readonly [Argument, Report]
}
const UPLOADS: Child<Part, FullDiskReport> = { file: 'full-disk-child.ts' }
const DELETIONS: Child<Parts, FullDiskDeletionReport> = { file: 'full-disk-deletion-child.ts' }

async function run<Argument extends string, Report>(program: Child<Argument, Report>, part: Argument): Promise<Report> {
  const folder = await temporaryFolder()
  const script = await childProgram(join(import.meta.dirname, program.file))
  const [command = '', ...args] = onSmallDisk(join(folder.path, 'disk'), 8)
  const child = spawn(command, [...args, process.execPath, script, part, folder.path], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let report: Report | undefined
  child.on('message', (message) => {
    report = message as Report
  })
  await once(child, 'exit')
  await folder.remove()
  if (report === undefined) throw new Error(`the process ended with ${child.exitCode ?? child.signalCode ?? ''}`)
  return report
}
