import { describe, expect, it } from 'vitest'
import { canMountDisks } from '../../small-disk.js'
import { DISK_PARTS, runDisks } from './run-disks.js'

describe.skipIf(!(await canMountDisks()))('real disks below a server (skipped where none can be mounted)', () => {
  it.each(DISK_PARTS)(
    'the part "%s" of the soak of disks finds nothing wrong in its short form',
    async (part) => {
      expect(await runDisks(0, [part], 'ignore')).toEqual([])
    },
    240_000,
  )
})
