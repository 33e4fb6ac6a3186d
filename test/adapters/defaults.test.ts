import { join } from 'node:path'
import { describe, it } from 'vitest'
import { DeviceEmbeddingModel } from '../../adapters/device/index.js'
import { FolderFileStore } from '../../adapters/files/index.js'
import { KnexStorage } from '../../adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../adapters/lancedb/index.js'
import { TemplateStarterPromptWriter } from '../../adapters/starter-prompts/index.js'
import { WorkerTextExtractor } from '../../adapters/text-extraction/index.js'
import { SqliteLexicalIndex } from '../../adapters/words/index.js'
import { bundledModel } from '../bundled-model.js'
import {
  embeddingModelSuite,
  fileStoreSuite,
  lexicalIndexSuite,
  starterPromptWriterSuite,
  storageSuite,
  textExtractorSuite,
  vectorIndexSuite,
} from '../conformance/index.js'
import { DATABASES } from '../src/outbox/database.js'
import { temporaryFolder } from '../temporary-folder.js'
import { reused } from './reused.js'

const runner = { describe, it }

for (const { name, open } of DATABASES) {
  storageSuite(runner, `knex on ${name}`, async () => {
    const database = await open()
    const { knex } = database
    return {
      port: new KnexStorage({ knex, keepKnex: true }),
      beginHostTransaction: async () => {
        const transaction = await knex.transaction()
        return {
          transaction,
          commit: async () => {
            await transaction.commit()
          },
          rollback: async () => {
            await transaction.rollback()
          },
        }
      },
      dispose: () => database.dispose(),
    }
  })
}

vectorIndexSuite(runner, 'LanceDB', async () => {
  const folder = await temporaryFolder()
  const port = new LanceDbVectorIndex(join(folder.path, 'vectors'))
  return {
    port,
    dispose: async () => {
      await port.close()
      await folder.remove()
    },
  }
})

lexicalIndexSuite(runner, 'SQLite', async () => {
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

fileStoreSuite(runner, 'folder', async () => {
  const folder = await temporaryFolder()
  return { port: new FolderFileStore(join(folder.path, 'files')), dispose: folder.remove }
})

textExtractorSuite(
  runner,
  'processes',
  reused(async () => new WorkerTextExtractor()),
)

embeddingModelSuite(
  runner,
  'device',
  reused(async () => await DeviceEmbeddingModel.open(bundledModel)),
)

starterPromptWriterSuite(runner, 'templates', () =>
  Promise.resolve({ port: new TemplateStarterPromptWriter(), dispose: () => Promise.resolve() }),
)
