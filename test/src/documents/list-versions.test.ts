import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { KnexStorage, openSqlite } from '../../../adapters/knex/index.js'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import type { DocumentRepository, Repositories } from '../../../src/ports/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

/** Called once, after the next read of current versions and of replacements. */
let afterFirstRead: (() => Promise<void>) | undefined
/** The model embeds once this is settled. */
let gate: Promise<void> = Promise.resolve()

class InterruptedStorage extends KnexStorage {
  override async read<T>(work: (repositories: Repositories) => Promise<T>): Promise<T> {
    return await super.read(async (repositories) => await work(interrupted(repositories)))
  }
}

/** Runs the task after the first of the two reads that make a list of documents, whichever it is. */
function interrupted(repositories: Repositories): Repositories {
  const { documents } = repositories
  const afterwards = async <T>(result: Promise<T>): Promise<T> => {
    const found = await result
    const task = afterFirstRead
    afterFirstRead = undefined
    await task?.()
    return found
  }
  const listPage: DocumentRepository['listPage'] = documents.listPage.bind(documents)
  const listReplacements: DocumentRepository['listReplacements'] = documents.listReplacements.bind(documents)
  Object.assign(documents, {
    listPage: async (...args: Parameters<typeof listPage>) => await afterwards(listPage(...args)),
    listReplacements: async (...args: Parameters<typeof listReplacements>) =>
      await afterwards(listReplacements(...args)),
  })
  return Object.create(repositories, { documents: { value: documents } }) as Repositories
}

class GatedModel extends MemoryEmbeddingModel {
  override async embed(...args: Parameters<MemoryEmbeddingModel['embed']>): Promise<Float32Array> {
    await gate
    return await super.embed(...args)
  }
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let memory: MemoryEngine

beforeEach(async () => {
  folder = await temporaryFolder()
  const storage = new InterruptedStorage({ knex: openSqlite(join(folder.path, 'alcove.sqlite')) })
  memory = await memoryEngine({ storage, embeddingModels: [new GatedModel()] })
})

afterEach(async () => {
  await memory.engine.close()
  await folder.remove()
})

// Q8
it('a list shows the newest version of a document, if its replacement is completed between two reads', async () => {
  const { documents, contexts } = memory.session
  const { id } = await contexts.create(NEW_CONTEXT)
  const old = await uploadText(memory.session, id, 'birds.txt', 'The heron nests in reeds.')
  let open = (): void => undefined
  gate = new Promise((resolve) => {
    open = resolve
  })
  const uuid = await documents.replace(old, { fileName: 'herons.txt', content: 'The heron nests in trees.' })
  afterFirstRead = async () => {
    open()
    await documents.whenProcessed(uuid)
  }
  expect(await documents.list(id)).toMatchObject([{ uuid, originalName: 'herons.txt', replacement: null }])
  expect(afterFirstRead).toBeUndefined()
})
