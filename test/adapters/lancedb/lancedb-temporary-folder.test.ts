import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LanceDbVectorIndex } from '../../../adapters/lancedb/index.js'
import { temporaryFolder } from '../../temporary-folder.js'

it('LanceDB goes on after its folders for temporary files were removed', async () => {
  const folder = await temporaryFolder()
  const vectors = join(folder.path, 'vectors')
  const index = new LanceDbVectorIndex(vectors)
  const collection = { name: 'one', dimensions: 2 }
  const rows = { documentId: 1, chunks: Uint32Array.of(0), windows: Uint16Array.of(0), vectors: Float32Array.of(1, 0) }
  try {
    await index.add(collection, rows)
    await index.drop('one')
    for (const name of ['.building', '.building-sessions'])
      await rm(join(vectors, name), { recursive: true, force: true })
    // The next use of a dropped name makes a new connection, which needs the folder.
    await index.add(collection, rows)
    expect(await index.count('one', 1)).toBe(1)
  } finally {
    await index.close()
    await folder.remove()
  }
})
