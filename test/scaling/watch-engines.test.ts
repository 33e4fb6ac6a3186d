import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  MemoryEmbeddingModel,
  MemoryFileStore,
  MemoryLexicalIndex,
  MemoryVectorIndex,
} from '../../adapters/memory/index.js'
import type { DocumentState } from '../../src/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../src/engine/memory-engine.js'
import { gate } from '../src/engine/word-engine.js'
import { DATABASES, type TestDatabase } from '../src/outbox/database.js'

const WINDOWS = 1_300
/** The engine stores its progress once for so many windows. */
const WINDOWS_PER_RECORD = 1_024

/** Stops in the middle of the document until its gate is open. */
class StoppingModel extends MemoryEmbeddingModel {
  readonly gate = gate()
  #embedded = 0

  override async embed(...call: Parameters<MemoryEmbeddingModel['embed']>): Promise<Float32Array> {
    if (this.#embedded > WINDOWS_PER_RECORD) await this.gate.opened
    this.#embedded += call[0].length
    return await super.embed(...call)
  }
}

describe.each(DATABASES.filter(({ name }) => name === 'PostgreSQL'))('two engines on $name', ({ open }) => {
  let database: TestDatabase
  let working: MemoryEngine
  let watching: MemoryEngine
  let model: StoppingModel

  beforeEach(async () => {
    database = await open()
    model = new StoppingModel()
    const shared = {
      vectorIndex: new MemoryVectorIndex(),
      lexicalIndex: new MemoryLexicalIndex(),
      fileStore: new MemoryFileStore(),
      isShared: true,
    }
    working = await memoryEngine({ ...shared, storage: database.storage(), embeddingModels: [model] })
    watching = await memoryEngine({ ...shared, storage: database.storage(), roles: [] })
  })

  afterEach(async () => {
    await watching.engine.close()
    await working.engine.close()
    await database.dispose()
  })

  it('show the progress of a document that the other one processes', async () => {
    const settings = { chunkSizeTokens: 16, overlap: 0 }
    const { id } = await watching.session.contexts.create({ ...NEW_CONTEXT, settings })
    const words = Array.from({ length: 16 * WINDOWS }, (_, number) => `word${number}`)
    const upload = { fileName: 'large.txt', content: words.join(' ') }
    const states: DocumentState[] = []
    const uploaded = watching.session.documents.upload(id, upload)
    for await (const state of watching.session.documents.watch(id)) {
      states.push(state)
      if (state.windowsEmbedded >= WINDOWS_PER_RECORD) model.gate.open()
      if (state.status === 'completed') break
    }
    await uploaded
    const halfway = states.find(({ windowsEmbedded }) => windowsEmbedded >= WINDOWS_PER_RECORD)
    expect(halfway).toMatchObject({ status: 'processing', stage: 'embedding', windowsTotal: WINDOWS })
    expect(halfway?.percent).toBe(Math.floor((100 * (halfway?.windowsEmbedded ?? 0)) / WINDOWS))
    expect(states.at(-1)).toMatchObject({ displayName: 'large.txt', status: 'completed', percent: 100 })
  })

  it('show the deletion of completed documents by the other one within a poll or two', async () => {
    model.gate.open()
    const { id } = await working.session.contexts.create(NEW_CONTEXT)
    const uuids = [
      await uploadText(working.session, id, 'one.txt', 'One.'),
      await uploadText(working.session, id, 'two.txt', 'Two.'),
      await uploadText(working.session, id, 'three.txt', 'Three.'),
    ]
    const deleted: string[] = []
    const watch = watching.session.documents.watch(id, {
      onReady: () => void Promise.all(uuids.slice(0, 2).map((uuid) => working.session.documents.delete(uuid))),
      signal: AbortSignal.timeout(20_000),
    })
    for await (const state of watch) {
      if (state.status === 'deleted') deleted.push(state.displayName)
      if (deleted.length === 2) break
    }
    expect(deleted.sort()).toEqual(['one.txt', 'two.txt'])
  })
})
