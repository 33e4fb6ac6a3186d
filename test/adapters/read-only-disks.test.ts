import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { childProgram } from '../child-program.js'
import { canMountDisks, UNSHARE } from '../small-disk.js'

describe.skipIf(!(await canMountDisks()))('a read-only disk (skipped where none can be mounted)', () => {
  it('is told by each adapter in a folder, reads go on, and the work continues once it is writable', async () => {
    const script = await childProgram(join(import.meta.dirname, 'read-only-disks-child.ts'))
    const [command, ...args] = [...UNSHARE, process.execPath, script]
    const { stdout } = await promisify(execFile)(command, args).catch((error: unknown) => error as { stdout: string })
    expect(stdout).toMatch(/^# tests 12$/m)
    expect(stdout.split('\n').filter((line) => /not ok|# fail [^0]|error:/.test(line))).toEqual([])
  })
})
