import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, 'node_modules')

/** What is compared with other libraries. */
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
 * What a library exports that the engine is compared with. The types are the caller's: the libraries are installed only
 * where somebody compares.
 *
 * @returns undefined where it is not installed, which is said
 */
export async function peer<Exports>(name: string): Promise<Exports | undefined> {
  try {
    return (await import(name)) as Exports
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message?: string }
    // Where something is missing that it needs itself, it is broken.
    if (code !== 'ERR_MODULE_NOT_FOUND' || message?.includes(`'${packageOf(name)}'`) !== true) throw error
    console.log(`left out: ${name} is not installed ("npm run bench" does it)`)
    return undefined
  }
}

/** The installed version of a library, for the report. */
export function versionOf(name: string): string {
  return versionIn(FOLDER, name) ?? 'not installed'
}

/** The versions that `package-lock.json` has of what the engine is compared with, by name. */
export function lockedPeers(): Readonly<Record<string, string>> {
  const { packages } = JSON.parse(readFileSync(join(import.meta.dirname, 'package-lock.json'), 'utf8')) as Lock
  const names = Object.keys(packages['']?.devDependencies ?? {})
  return Object.fromEntries(names.map((name) => [name, packages[`node_modules/${name}`]?.version ?? '']))
}

/** Libraries that are not installed in that version. */
export function missingPeers(): readonly string[] {
  const locked = Object.entries(lockedPeers())
  return locked.filter(([name, version]) => versionIn(FOLDER, name) !== version).map(([name]) => name)
}

/** The version of a package in a folder of modules; `undefined` where it is not there. */
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
