import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../../adapters/memory/index.js'
import { type EmbedOptions, ModelError } from '../../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../../engine/memory-engine.js'

/** A model that counts the passages that it embeds, and can be stopped before the next one. */
class WatchedModel extends MemoryEmbeddingModel {
  passages = 0
  failure: Error | undefined
  #gate: { readonly opened: Promise<void>; readonly open: () => void } | undefined

  override async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    if (options.kind === 'passage') {
      if (this.failure !== undefined) throw this.failure
      this.passages += texts.length
      await Promise.race([this.#gate?.opened, untilAborted(options.signal)])
    }
    return await super.embed(texts, options)
  }

  stop(): void {
    let open = (): void => undefined
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    this.#gate = { opened, open }
  }

  go(): void {
    this.#gate?.open()
    this.#gate = undefined
  }
}

async function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    signal?.addEventListener('abort', () => resolve())
  })
}

const BIRDS = ['The heron nests in reeds.', 'The owl hunts at night.', 'The swift sleeps in the air.']
const SMALL_CHUNKS = { chunkSizeTokens: 100 }

let memory: MemoryEngine
let contextId: number
let first: WatchedModel
let second: WatchedModel

beforeEach(async () => {
  first = new WatchedModel()
  second = new WatchedModel({ id: 'second', fingerprint: 'second-1', dimensions: 32 })
  memory = await memoryEngine({ embeddingModels: [first, second] })
  contextId = (await memory.session.contexts.create({ ...NEW_CONTEXT, settings: { scoreThreshold: 0 } })).id
})

afterEach(async () => {
  first.go()
  second.go()
  await memory.engine.close()
})

async function upload(texts: readonly string[] = BIRDS): Promise<string[]> {
  const uuids: string[] = []
  for (const [at, text] of texts.entries())
    uuids.push(await uploadText(memory.session, contextId, `${at}-${text.length}.txt`, text))
  return uuids
}

async function change(settings: { embeddingModel?: string; chunkSizeTokens?: number; overlap?: number }) {
  await memory.session.contexts.update(contextId, { settings })
}

const whenReindexed = async () => await memory.session.contexts.whenReindexed(contextId)
const settings = async () => await memory.session.contexts.settings(contextId)

/** Starts a re-index with the second model, which stops before its first document. */
async function startStopped(): Promise<void> {
  second.stop()
  const before = second.passages
  await change({ embeddingModel: 'second' })
  await until(() => second.passages > before)
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5))
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

async function found(prompt: string): Promise<string[]> {
  return (await memory.session.search(contextId, prompt, { topN: 100 })).map(({ content }) => content).sort()
}

/** Collections are dropped after a while. */
function dropSlowly(): void {
  const drop = memory.vectorIndex.drop.bind(memory.vectorIndex)
  const slowDrop = async (name: string) => {
    await new Promise((resolve) => setTimeout(resolve, 600))
    await drop(name)
  }
  Object.assign(memory.vectorIndex, { drop: slowDrop })
}

/** The generations that have vectors, words or rows. */
async function collections(): Promise<string[]> {
  return [...(await memory.vectorIndex.listCollections()), ...(await memory.lexicalIndex.listCollections())].sort()
}

async function expectHealthy(): Promise<void> {
  await memory.engine.whenCleared()
  await until(async () => {
    const rows = await memory.storage.read(({ shadows }) => shadows.listContexts())
    const jobs = await memory.storage.read(({ jobs: repository }) =>
      repository.subjects('reindex-context', { after: 0, limit: 9 }),
    )
    return rows.length + jobs.length === 0
  })
  await memory.engine.whenCleared()
  const { problems, checked } = await memory.engine.administration.verify()
  expect(problems).toEqual([])
  expect(checked.windows).toBe(checked.vectors)
  expect(checked.chunks).toBe(checked.indexedChunks)
}

describe('a re-index', () => {
  it('keeps ids, UUIDs and names, and clears the former generation away', async () => {
    const { documents } = memory.session
    const uuids = await upload()
    const before = await documents.list(contextId)
    const events: number[] = []
    memory.engine.on('context.reindexed', (event) => events.push(event.contextId))
    await change(SMALL_CHUNKS)
    expect(await whenReindexed()).toMatchObject({ chunkSizeTokens: 100, reindexing: null })
    const after = await documents.list(contextId)
    const identity = ({ id, uuid, displayName, created }: (typeof after)[number]) => ({
      id,
      uuid,
      displayName,
      created,
    })
    expect(after.map(identity)).toEqual(before.map(identity))
    expect(after.map(({ uuid }) => uuid)).toEqual(uuids)
    expect(await found('birds')).toEqual([...BIRDS].sort())
    await expectHealthy()
    expect(events).toEqual([contextId])
    expect((await collections()).every((name) => name.startsWith(`context-${contextId}-g1-`))).toBe(true)
    expect(Buffer.concat(await all(await documents.open(uuids[0] ?? '')))).toEqual(Buffer.from(BIRDS[0] ?? ''))
  })

  it('has removed the former generation once the engine is cleared', async () => {
    await upload()
    dropSlowly()
    await change(SMALL_CHUNKS)
    await whenReindexed()
    expect(await memory.engine.whenCleared()).toBe('done')
    expect((await collections()).every((name) => name.startsWith(`context-${contextId}-g1-`))).toBe(true)
    expect(await memory.storage.read(({ shadows }) => shadows.listContexts())).toEqual([])
  })

  it('of all contexts has removed a former generation before it checks the room for the next one', async () => {
    await upload()
    const other = (await memory.session.contexts.create(NEW_CONTEXT)).id
    await uploadText(memory.session, other, 'a.txt', 'The heron nests.')
    dropSlowly()
    const seen: boolean[] = []
    const freeBytes = async () => {
      seen.push((await collections()).some((name) => name.startsWith(`context-${contextId}-memory`)))
      return Number.MAX_SAFE_INTEGER
    }
    Object.assign(memory.vectorIndex, { freeBytes })
    await all(memory.engine.administration.reindexAll(SMALL_CHUNKS))
    expect(seen).toEqual([true, false])
  })

  it('embeds no window of an unchanged model a second time', async () => {
    await upload()
    const { passages } = first
    await change({ overlap: 0.1 })
    await whenReindexed()
    expect(first.passages).toBe(passages)
    const [document] = await memory.session.documents.list(contextId)
    const { receipt } = await memory.session.documents.get(document?.uuid ?? '')
    expect(receipt).toMatchObject({ windowsReused: receipt?.windows })
    await expectHealthy()
  })

  it('answers searches with the present model until all documents are ready, and with the next one from then on', async () => {
    await upload()
    await startStopped()
    expect(await found('birds')).toEqual([...BIRDS].sort())
    expect(await settings()).toMatchObject({
      embeddingModel: 'memory',
      reindexing: {
        embeddingModel: 'second',
        chunkSizeTokens: 1_000,
        documentsDone: 0,
        documentsTotal: 3,
        error: null,
      },
    })
    second.go()
    expect(await whenReindexed()).toMatchObject({ embeddingModel: 'second', reindexing: null })
    expect(await found('birds')).toEqual([...BIRDS].sort())
    const [document] = await memory.session.documents.list(contextId)
    expect((await memory.session.documents.get(document?.uuid ?? '')).receipt?.embeddingModel).toBe('second')
    await expectHealthy()
  })

  it('keeps what users change meanwhile', async () => {
    const { documents, contexts } = memory.session
    const [heron = '', owl = '', swift = ''] = await upload()
    await startStopped()
    const heronId = (await documents.get(heron)).id
    await documents.update(heron, { displayName: 'Reeds', metadata: { bird: 'heron' } })
    await documents.delete(owl)
    const swiftId = (await documents.get(swift)).id
    const newSwift = await documents.replace(swift, { content: 'The swift never lands.' })
    await documents.whenProcessed(newSwift)
    const robin = await uploadText(memory.session, contextId, 'robin.txt', 'The robin sings in winter.')
    expect(await found('birds')).toEqual([BIRDS[0], 'The robin sings in winter.', 'The swift never lands.'].sort())
    second.go()
    await contexts.whenReindexed(contextId)
    expect(await found('birds')).toEqual([BIRDS[0], 'The robin sings in winter.', 'The swift never lands.'].sort())
    const listed = await documents.list(contextId)
    expect(listed.map(({ id, uuid }) => ({ id, uuid }))).toMatchObject([
      { id: heronId, uuid: heron },
      { id: swiftId, uuid: newSwift },
      { uuid: robin },
    ])
    expect(listed[0]).toMatchObject({ displayName: 'Reeds', metadata: { bird: 'heron' } })
    const filter = { metadata: { bird: 'heron' } }
    expect((await memory.session.search(contextId, 'birds', { filter })).map(({ content }) => content)).toEqual([
      BIRDS[0],
    ])
    await expectHealthy()
  })

  it('processes documents and replacements that waited at the switch with the new settings', async () => {
    const { documents } = memory.session
    const [heron = ''] = await upload()
    first.stop()
    const robin = await documents.upload(contextId, { fileName: 'robin.txt', content: 'The robin sings in winter.' })
    const newHeron = await documents.replace(heron, { content: 'The heron fishes.' })
    await change({ embeddingModel: 'second' })
    await whenReindexed()
    for (const uuid of [robin, newHeron]) {
      await documents.whenProcessed(uuid)
      expect((await documents.get(uuid)).receipt?.embeddingModel).toBe('second')
    }
    first.go()
    expect(await found('birds')).toEqual(['The heron fishes.', BIRDS[1], BIRDS[2], 'The robin sings in winter.'].sort())
    await expectHealthy()
  })

  it('lets a failed document keep its error', async () => {
    const { documents } = memory.session
    await upload()
    const empty = await documents.upload(contextId, { fileName: 'empty.txt', content: ' ' })
    await expect(documents.whenProcessed(empty)).rejects.toMatchObject({ code: 'ERR_NO_TEXT' })
    await change({ embeddingModel: 'second' })
    await whenReindexed()
    expect((await documents.get(empty)).error).toContain('ERR_NO_TEXT')
    await expectHealthy()
  })

  it('changes a context without documents at once', async () => {
    await change({ embeddingModel: 'second', chunkSizeTokens: 50 })
    expect(await settings()).toMatchObject({ embeddingModel: 'second', chunkSizeTokens: 50, reindexing: null })
    await upload()
    expect(await found('birds')).toEqual([...BIRDS].sort())
    await expectHealthy()
  })

  it('does nothing for the present settings', async () => {
    await upload()
    const names = await collections()
    await change({ embeddingModel: 'memory', chunkSizeTokens: 1_000, overlap: 0.2 })
    expect(await settings()).toMatchObject({ reindexing: null })
    await expectHealthy()
    expect(await collections()).toEqual(names)
  })

  it('is cancelled by the present settings', async () => {
    await upload()
    const names = await collections()
    await startStopped()
    await change({ embeddingModel: 'memory' })
    expect(await whenReindexed()).toMatchObject({ embeddingModel: 'memory', reindexing: null })
    second.go()
    await expectHealthy()
    expect(await collections()).toEqual(names)
    expect(await found('birds')).toEqual([...BIRDS].sort())
  })

  it('is replaced by other settings', async () => {
    await upload()
    await startStopped()
    await change({ embeddingModel: 'memory', chunkSizeTokens: 50 })
    second.go()
    expect(await whenReindexed()).toMatchObject({ embeddingModel: 'memory', chunkSizeTokens: 50, reindexing: null })
    await expectHealthy()
    expect((await collections()).every((name) => name.startsWith(`context-${contextId}-g2-`))).toBe(true)
    expect(await found('birds')).toEqual([...BIRDS].sort())
  })

  it('holds other documents back for a while when few are left, so that the switch comes', async () => {
    await upload()
    await startStopped()
    memory.clock.advance(10_000)
    const { documents } = memory.session
    const uuid = await documents.upload(contextId, { fileName: 'late.txt', content: 'The wren sings.' })
    const { passages } = first
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(first.passages).toBe(passages)
    // In the other half of the time, documents do not wait for a re-index that stands still.
    memory.clock.advance(10_000)
    await documents.whenProcessed(uuid)
    expect(first.passages).toBe(passages + 1)
    memory.clock.advance(10_000)
    const last = await documents.upload(contextId, { fileName: 'last.txt', content: 'The kite soars.' })
    second.go()
    expect(await whenReindexed()).toMatchObject({ embeddingModel: 'second' })
    await documents.whenProcessed(last)
    expect(first.passages).toBe(passages + 1)
    expect(await found('birds')).toEqual([...BIRDS, 'The wren sings.', 'The kite soars.'].sort())
    await expectHealthy()
  })

  it('stops when a document fails for good, and the same change tries again', async () => {
    await upload()
    second.failure = new ModelError('ERR_MODEL_UNSUPPORTED', 'The model refuses the text')
    await change({ embeddingModel: 'second' })
    await expect(whenReindexed()).rejects.toMatchObject({ code: 'ERR_MODEL_UNSUPPORTED' })
    const { embeddingModel, reindexing } = await settings()
    expect(embeddingModel).toBe('memory')
    expect(reindexing?.error).toContain('(ERR_MODEL_UNSUPPORTED)')
    expect(await found('birds')).toEqual([...BIRDS].sort())
    second.failure = undefined
    await change({ embeddingModel: 'second' })
    expect(await whenReindexed()).toMatchObject({ embeddingModel: 'second', reindexing: null })
    await expectHealthy()
  })

  it('is refused before it starts, if the disk has no room for a second generation', async () => {
    await upload()
    let free = 1_000
    Object.assign(memory.vectorIndex, { freeBytes: async () => free })
    await expect(change({ embeddingModel: 'second' })).rejects.toMatchObject({ code: 'ERR_STORAGE_FULL' })
    expect(await settings()).toMatchObject({ embeddingModel: 'memory', reindexing: null })
    free = 1_000_000
    await change({ embeddingModel: 'second' })
    await whenReindexed()
    await expectHealthy()
  })

  it('refuses an unknown model before anything starts', async () => {
    await upload()
    await expect(change({ embeddingModel: 'third' })).rejects.toMatchObject({ code: 'ERR_MODEL_UNKNOWN' })
    expect(await settings()).toMatchObject({ reindexing: null })
  })

  it('removes everything of a context that is deleted meanwhile', async () => {
    await upload()
    await startStopped()
    await memory.session.contexts.delete(contextId)
    second.go()
    await memory.engine.whenCleared()
    await until(async () => (await collections()).length === 0)
    expect(await memory.storage.read(({ documents }) => documents.listDeleted())).toEqual([])
    expect(await all(memory.fileStore.list())).toEqual([])
  })

  it('re-indexes more documents than wait at a time', async () => {
    const texts = Array.from({ length: 100 }, (_, at) => `The heron number${at} nests in reeds.`)
    await upload(texts)
    await change({ embeddingModel: 'second' })
    await whenReindexed()
    expect(await found('herons')).toHaveLength(100)
    const hits = await memory.session.search(contextId, 'number99', { mode: 'keyword', topN: 1 })
    expect(hits[0]?.content).toBe(texts[99])
    await expectHealthy()
  })

  it('removes shadows and collections of a re-index that nobody knows', async () => {
    await upload()
    const names = await collections()
    await memory.storage.transaction(async ({ shadows, jobs }) => {
      await shadows.insert(contextId, 7, 9)
      await jobs.enqueue({ kind: 'reindex-context', subject: contextId, lane: contextId })
    })
    const rows = { documentId: 1, chunks: [0], terms: [['lamp']] }
    await memory.lexicalIndex.add(`context-${contextId}-g7-words-1`, rows)
    await expectHealthy()
    expect(await collections()).toEqual(names)
    expect(await found('birds')).toEqual([...BIRDS].sort())
  })

  it('goes on after others, one after the other', async () => {
    await upload()
    for (const [chunkSizeTokens, embeddingModel] of [
      [50, 'second'],
      [60, 'memory'],
      [70, 'second'],
    ] as const) {
      await change({ chunkSizeTokens, embeddingModel })
      expect(await whenReindexed()).toMatchObject({ chunkSizeTokens, embeddingModel })
      expect(await found('birds')).toEqual([...BIRDS].sort())
    }
    await expectHealthy()
  })
})
