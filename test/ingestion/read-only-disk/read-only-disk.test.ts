import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { childProgram } from '../../child-program.js'
import { temporaryFolder } from '../../temporary-folder.js'
import type { ReadOnlyReport } from './read-only-child.js'

/** The mounts are in a namespace of the process, and end with it. */
const UNSHARE = ['--map-root-user', '--mount']

function canUnshare(): boolean {
  try {
    execFileSync('unshare', [...UNSHARE, 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.skipIf(!canUnshare())('a disk that turns read-only and back (skipped where nothing can be mounted)', () => {
  it('is told by health in words, reads go on, and the work continues once it is writable', async () => {
    const folder = await temporaryFolder()
    const script = await childProgram(join(import.meta.dirname, 'read-only-child.ts'))
    const child = spawn('unshare', [...UNSHARE, process.execPath, script, join(folder.path, 'data')], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    let reports: readonly ReadOnlyReport[] = []
    child.on('message', (message) => {
      reports = message as readonly ReadOnlyReport[]
    })
    await once(child, 'exit')
    await folder.remove()
    const reason = (part: string): string =>
      `the disk with the ${part} is read-only: make it writable, then the work continues`
    const told = { health: 'ERR_STORAGE_READ_ONLY', finds: true, after: 'ok' }
    expect(reports).toEqual([
      { ...told, part: 'vectors', reason: reason('vectors'), upload: 'accepted' },
      { ...told, part: 'words', reason: reason('words'), upload: 'accepted' },
      { ...told, part: 'files', reason: reason('files'), upload: 'ERR_STORAGE_READ_ONLY' },
    ])
  })
})
