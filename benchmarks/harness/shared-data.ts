import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The folder with public documents and retrieval sets: `ALCOVE_SHARED`, or `../shared` beside the project. */
export function sharedData(...path: string[]): string | undefined {
  const shared = process.env['ALCOVE_SHARED'] ?? join(import.meta.dirname, '../../../shared')
  const folder = join(shared, 'data', ...path)
  return existsSync(folder) ? folder : undefined
}
