import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, 'node_modules')

/** Benchmarks that compare the engine with other libraries. */
export const WITH_PEERS: ReadonlySet<string> = new Set([
  'chunking',
  'embedding',
  'ingestion',
  'memory',
  'install',
  'retrieval-quality',
])

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly devDependencies?: object }>>
}

/**
 * Loads a library that the engine is compared with. The caller gives the types, because the libraries are installed
 * only for a comparison.
 *
 * @returns undefined, with a message on the terminal, if it is not installed
 */
export async function peer<Exports>(name: string): Promise<Exports | undefined> {
  try {
    return (await import(name)) as Exports
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message?: string }
    // The library is broken if one of its own dependencies is missing.
    if (code !== 'ERR_MODULE_NOT_FOUND' || message?.includes(`'${packageOf(name)}'`) !== true) throw error
    console.log(`left out: ${name} is not installed ("npm run bench" does it)`)
    return undefined
  }
}

/** The installed version of a library, for the report. */
export function versionOf(name: string): string {
  return versionIn(FOLDER, name) ?? 'not installed'
}

/** The versions of the compared libraries in `package-lock.json`, by name. */
export function lockedPeers(): Readonly<Record<string, string>> {
  const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')) as Lock
  const names = Object.keys(packages['']?.devDependencies ?? {})
  return Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`]?.version ?? '']))
}

/** Libraries that are not installed in the locked version. */
export function missingPeers(): readonly string[] {
  const locked = Object.entries(lockedPeers())
  return locked.filter(([name, version]) => versionIn(FOLDER, name) !== version).map(([name]) => name)
}

/** The version of a package in a folder of modules. `undefined` if it is missing. */
export function versionIn(folder: string, name: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as { version: string }).version
  } catch {
    return undefined
  }
}

/** The package of a specifier, or of a path in `node_modules`. */
export function packageOf(path: string): string {
  const parts = path.split(/[/\\]/)
  return parts.slice(0, path.startsWith('@') ? 2 : 1).join('/')
}
