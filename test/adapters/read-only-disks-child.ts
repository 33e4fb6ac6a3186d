/** Runs the suites of a read-only disk in a process that may mount folders, by the test runner of Node. */
import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { FolderFileStore } from '../../dist/adapters/files/index.js'
import { KnexStorage, openSqlite } from '../../dist/adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../dist/adapters/lancedb/index.js'
import { SqliteLexicalIndex } from '../../dist/adapters/words/index.js'
import {
  type CreateSubject,
  type PortOnDisk,
  readOnlyFilesSuite,
  readOnlyStorageSuite,
  readOnlyVectorsSuite,
  readOnlyWordsSuite,
} from '../conformance/index.js'
import { temporaryFolder } from '../temporary-folder.js'

const runner = { describe: (name: string, define: () => void) => describe(name, define), it }

readOnlyFilesSuite(
  runner,
  'folder',
  onDisk((place) => new FolderFileStore(place)),
)
readOnlyVectorsSuite(
  runner,
  'LanceDB',
  onDisk((place) => new LanceDbVectorIndex(place)),
)
readOnlyWordsSuite(
  runner,
  'SQLite',
  onDisk((place) => new SqliteLexicalIndex(place)),
)
readOnlyStorageSuite(
  runner,
  'SQLite',
  onDisk((place) => new KnexStorage({ knex: openSqlite(join(place, 'a.sqlite')) }), { isFolder: true }),
)

/** Opens adapters in folders of their own. A second mount of the folder is read-only and hides the first one. */
function onDisk<Port extends object>(
  open: (place: string) => Port & { close?(): Promise<void> },
  { isFolder = false }: { readonly isFolder?: boolean } = {},
): CreateSubject<PortOnDisk<Port>> {
  return async () => {
    let wasReadOnly = false
    const folder = await temporaryFolder()
    const place = join(folder.path, 'place')
    if (isFolder) await mkdir(place)
    const port = open(place)
    const setReadOnly = async (isReadOnly: boolean): Promise<void> => {
      if (isReadOnly === wasReadOnly) return
      wasReadOnly = isReadOnly
      if (isReadOnly) {
        mount('--bind', folder.path, folder.path)
        mount('-o', 'remount,bind,ro', folder.path)
      } else execFileSync('umount', ['-l', folder.path])
    }
    const dispose = async (): Promise<void> => {
      await setReadOnly(false)
      await port.close?.()
      await folder.remove()
    }
    return { port: { port, setReadOnly }, dispose }
  }
}

function mount(...args: readonly string[]): void {
  execFileSync('mount', args)
}
