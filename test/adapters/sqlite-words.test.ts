import { join } from 'node:path'
import { describe, it } from 'vitest'
import { SqliteLexicalIndex } from '../../adapters/words/index.js'
import { lexicalIndexSuite } from '../conformance/index.js'
import { temporaryFolder } from '../temporary-folder.js'

lexicalIndexSuite({ describe, it }, 'SQLite', async () => {
  const folder = await temporaryFolder()
  const port = new SqliteLexicalIndex(join(folder.path, 'words'))
  return {
    port,
    dispose: async () => {
      await port.close()
      await folder.remove()
    },
  }
})
