/**
 * Real disks of memory that fill, and mounts that turn read-only and back, below `alcove serve` and commands: `npm run
 * soak:disks -- [--rounds N] [--part full] [--part read-only] [--part root]`. It prints each fact that it sees. It needs
 * Linux, and root or namespaces of users.
 */
import { parseArgs } from 'node:util'
import { canMountDisks } from '../../small-disk.js'
import { DISK_PARTS, runDisks } from './run-disks.js'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, part: { type: 'string', multiple: true } },
})
if (!(await canMountDisks())) {
  process.stderr.write('soak:disks mounts disks, so it needs Linux and root: run it there\n')
  process.exit(1)
}
const problems = await runDisks(Number(values.rounds), values.part ?? DISK_PARTS)
process.stdout.write(`${JSON.stringify({ problems }, null, 2)}\n`)
process.exit(problems.length === 0 ? 0 : 1)
