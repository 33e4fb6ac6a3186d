/**
 * Real disks of memory that fill, and mounts that turn read-only and back, below `alcove serve` and commands: `npm run
 * soak:disks -- [--rounds N] [--part full] [--part read-only] [--part root]
 * [--part network] [--database URL]`. It prints each fact that it sees. It needs Linux, and root or namespaces of users.
 *
 * The part `network` has a PostgreSQL database behind a network that goes silent, or cuts connections. `--database` names
 * an empty one; by default the soak starts its own.
 */
import { parseArgs } from 'node:util'
import { startPostgres } from '../../servers/postgres-server.js'
import { canMountDisks } from '../../small-disk.js'
import { DiskLog } from './disk-log.js'
import { DISK_PARTS, runDisks } from './run-disks.js'
import { silentDatabase } from './silent-database.js'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    part: { type: 'string', multiple: true },
    database: { type: 'string' },
  },
})
if (!(await canMountDisks())) {
  process.stderr.write('soak:disks mounts disks, so it needs Linux and root: run it there\n')
  process.exit(1)
}
const { part: parts = [...DISK_PARTS, 'network'] } = values
const problems = [...(await runDisks(Number(values.rounds), parts))]
if (parts.includes('network')) {
  const postgres = values.database === undefined ? await startPostgres() : undefined
  const log = new DiskLog()
  await silentDatabase(values.database ?? postgres?.url ?? '', log, Number(values.rounds))
  problems.push(...log.problems)
  await postgres?.dispose()
}
process.stdout.write(`${JSON.stringify({ problems }, null, 2)}\n`)
process.exit(problems.length === 0 ? 0 : 1)
