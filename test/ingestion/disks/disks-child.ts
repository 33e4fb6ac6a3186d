/**
 * Real disks that fill or turn read-only, in a process that may mount them. Usage: `disks-child.ts FOLDER ROUNDS PART…`.
 * With 0 rounds it runs the short form.
 */
import { DiskLog } from './disk-log.js'
import { fullDiskRounds } from './full-disk-rounds.js'
import { readOnlyRoot, readOnlyRounds } from './read-only-rounds.js'

const [folder = '', rounds = '1', ...parts] = process.argv.slice(2)
const log = new DiskLog()
const isShort = rounds === '0'
const count = isShort ? 1 : Number(rounds)
if (parts.includes('full')) await fullDiskRounds(folder, log, { rounds: count, isShort })
if (parts.includes('read-only')) await readOnlyRounds(folder, log, count)
// Last: nothing is writable afterwards.
if (parts.includes('root')) await readOnlyRoot(folder, log)
process.send?.(log.problems)
if (process.connected) process.disconnect()
