import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, 'node_modules')

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
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    console.log(`left out: ${name} is not installed ("npm run bench" does it)`)
    return undefined
  }
}

/** The installed version of a library, for the report. */
export function versionOf(name: string): string {
  const { version } = JSON.parse(readFileSync(join(FOLDER, name, 'package.json'), 'utf8')) as { version: string }
  return version
}
