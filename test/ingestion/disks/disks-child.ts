/** Real disks that fill or turn read-only, in a process that may mount them. Usage: `disks-child.ts FOLDER ROUNDS PART…`. */
import { DiskLog } from './disk-log.js'
import { fullDiskRounds } from './full-disk-rounds.js'
import { readOnlyRoot, readOnlyRounds } from './read-only-rounds.js'

const [folder = '', rounds = '1', ...parts] = process.argv.slice(2)
const log = new DiskLog()
if (parts.includes('full')) await fullDiskRounds(folder, log, Number(rounds))
if (parts.includes('read-only')) await readOnlyRounds(folder, log, Number(rounds))
// Last: nothing is writable afterwards.
if (parts.includes('root')) await readOnlyRoot(folder, log)
process.send?.(log.problems)
process.disconnect?.()
