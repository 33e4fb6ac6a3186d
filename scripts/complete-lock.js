/**
 * Completes package-lock.json with the optional packages of other platforms.
 *
 * npm leaves them out where the registry it asks does not have them, and then
 * `npm ci` refuses the lock. Run this after every `npm install` that changes it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32']
const PROCESSORS = ['arm64', 'x64', 'ia32', 'arm', 'ppc64', 'riscv64', 's390x']

const file = join(import.meta.dirname, '../package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))

for (const [path, { dev, optionalDependencies = {} }] of Object.entries(lock.packages)) {
  for (const [name, range] of path === '' ? [] : Object.entries(optionalDependencies)) {
    if (!isLocked(path, name)) lock.packages[`node_modules/${name}`] = describe(name, range, dev)
  }
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([one], [other]) => one.localeCompare(other, 'en')),
)
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)

/** True if Node finds a package from a path: in the nearest node_modules, or in one above. */
function isLocked(path, name) {
  const parents = path.split('/node_modules/')
  return (
    parents.some((_, depth) => lock.packages[[...parents.slice(0, depth + 1), name].join('/node_modules/')]) ||
    lock.packages[`node_modules/${name}`] !== undefined
  )
}

/** The lock entry of a platform's package, derived from its name. */
function describe(name, range, dev) {
  const parts = name.split(/[/-]/)
  const cpu = PROCESSORS.filter((processor) => parts.includes(processor))
  const os = SYSTEMS.filter((system) => parts.includes(system))
  const libc = parts.some((part) => part.startsWith('musl'))
    ? ['musl']
    : parts.some((part) => part.startsWith('gnu'))
      ? ['glibc']
      : []
  return {
    version: range.replace(/^[\^~]/, ''),
    ...(cpu.length > 0 && { cpu }),
    ...(dev && { dev }),
    ...(libc.length > 0 && { libc }),
    optional: true,
    ...(os.length > 0 && { os }),
  }
}
