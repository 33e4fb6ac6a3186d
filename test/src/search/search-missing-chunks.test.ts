import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'

const TEXT = 'The wardrobe leads to a snowy forest.'
const model = new MemoryEmbeddingModel()

let memory: MemoryEngine
let contextId: number

beforeEach(async () => {
  memory = await memoryEngine()
  contextId = (await memory.session.contexts.create(NEW_CONTEXT)).id
  await uploadText(memory.session, contextId, 'a.txt', TEXT)
  await uploadText(memory.session, contextId, 'b.txt', 'The espresso machine shows an error.')
})

afterEach(async () => {
  await memory.engine.close()
})

/** Adds vectors of chunks that the storage lacks, all nearest to the text. */
async function addVectors(documentId: number, firstChunk: number, count: number): Promise<void> {
  const vector = await model.embed([TEXT], { kind: 'query' })
  const [name] = await memory.vectorIndex.listCollections()
  if (name === undefined) throw new Error('nothing is indexed')
  const vectors = new Float32Array(vector.length * count)
  for (let at = 0; at < count; at += 1) vectors.set(vector, at * vector.length)
  const chunks = Uint32Array.from({ length: count }, (_, at) => firstChunk + at)
  await memory.vectorIndex.add(
    { name, dimensions: vector.length },
    { documentId, chunks, windows: new Uint16Array(count), vectors },
  )
}

const warned = () => memory.telemetry.events.filter(({ name }) => name === 'search.chunks.missing')

describe.each(['hybrid', 'semantic', 'keyword'] as const)('a search (%s) among missing chunks', (mode) => {
  const find = async () => await memory.session.search(contextId, TEXT, { mode, topN: 5 })

  it('finds the other chunks of a document with a surplus vector, and reports to telemetry', async () => {
    await addVectors(1, 7, 1)
    const [best] = await find()
    expect(best).toMatchObject({ docId: 1, content: TEXT })
    expect(warned()).toHaveLength(mode === 'keyword' ? 0 : 1)
    if (mode !== 'keyword') expect(warned()[0]?.fields).toEqual({ contextId, documentId: 1, isDocumentHidden: false })
  })

  it('finds them among thousands of such vectors', async () => {
    await addVectors(1, 1, 3_000)
    const [best] = await find()
    expect(best).toMatchObject({ docId: 1, content: TEXT })
    expect(warned()).toHaveLength(mode === 'keyword' ? 0 : 1)
  })

  it('finds other documents beside vectors of a missing document', async () => {
    await addVectors(99, 0, 50)
    await memory.session.documents.delete({ contextId, id: 1 })
    const results = await find()
    expect(results.every(({ docId }) => docId === 2)).toBe(true)
    expect(warned()).toHaveLength(0)
  })
})
