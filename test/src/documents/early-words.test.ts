import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StorageError, StorageFullError, VectorInvalidError } from '../../../src/ports/index.js'
import { gate, LARGE_TEXT, smallText, WordEngine, type WordStep } from '../engine/word-engine.js'

const LONG = { timeout: 30_000, interval: 20 }
const SMALL_TEXT = smallText('heron')

let engine: WordEngine

beforeEach(async () => {
  engine = new WordEngine()
  await engine.open()
})

afterEach(async () => {
  engine.hook = () => undefined
  await engine.close()
})

/** The names of a document's events, in their order. */
function heard(uuid: () => string): string[] {
  const events: string[] = []
  const { engine: emitter } = engine.opened
  for (const name of ['document.findable', 'document.completed', 'document.failed'] as const) {
    emitter.on(name, ({ fileName }) => {
      if (fileName === uuid()) events.push(name)
    })
  }
  return events
}

/** The document has each of its chunks once in both indexes, and searches of both find it. */
async function expectWhole(contextId: number, uuid: string, word: string): Promise<void> {
  const { session } = engine.opened
  const document = await session.documents.whenProcessed(uuid)
  const { receipt } = await session.documents.get(uuid)
  expect(await engine.rows(engine.words)).toEqual([[expect.any(String), document.id, document.chunks]])
  expect(await engine.rows(engine.vectors)).toEqual([[expect.any(String), document.id, receipt?.windows]])
  expect(await engine.foundByWords(contextId, word)).toEqual([document.id])
  const chunks = await session.documents.chunks(uuid)
  expect(chunks.map(({ ordinal }) => ordinal)).toEqual(chunks.map((_, at) => at))
  const last = chunks.at(-1)
  const hits = await session.search(contextId, last?.content ?? '', { mode: 'semantic', topN: 3 })
  expect(hits.map(({ id }) => id)).toContain(last?.id)
}

describe('a document whose vectors take long', () => {
  // W1
  it('is found by words before its vectors exist, and by meaning afterwards', async () => {
    const computed = gate()
    engine.hook = (step) => (step === 'texts:embed' ? computed.opened : undefined)
    const contextId = await engine.newContext()
    let uuid = ''
    const events = heard(() => uuid)
    uuid = await engine.upload(contextId, 'large.txt', LARGE_TEXT)
    await vi.waitFor(() => expect(events).toEqual(['document.findable']), LONG)
    const { session } = engine.opened
    const [best] = await session.search(contextId, 'cormorant', { mode: 'keyword' })
    expect(best?.content).toContain('cormorant')
    expect(await session.search(contextId, 'cormorant', { mode: 'semantic' })).toEqual([])
    expect(await session.documents.get(uuid)).toMatchObject({ completed: null, error: null })
    computed.open()
    await expectWhole(contextId, uuid, 'cormorant')
    expect(events).toEqual(['document.findable', 'document.completed'])
    expect((await session.documents.get(uuid)).receipt?.durationsMs.words).toBeGreaterThan(0)
  })

  // W69
  it('is compared with each prompt by vectors that are computed once', async () => {
    const computed = gate()
    engine.hook = (step) => (step === 'texts:embed' ? computed.opened : undefined)
    const contextId = await engine.newContext()
    const uuid = await engine.upload(contextId, 'large.txt', LARGE_TEXT)
    await vi.waitFor(async () => expect(await engine.foundByWords(contextId, 'badger')).toHaveLength(1), LONG)
    const { session } = engine.opened
    const search = async () => await session.search(contextId, 'a badger', { mode: 'keyword', topN: 5 })
    const first = await search()
    const embedded = engine.model.textsOfSearches
    expect(embedded).toBeGreaterThan(0)
    expect(await search()).toEqual(first)
    expect(engine.model.textsOfSearches).toBe(embedded)
    computed.open()
    await session.documents.whenProcessed(uuid)
    const afterwards = await search()
    expect(afterwards.map(({ id }) => id)).toEqual(first.map(({ id }) => id))
    afterwards.forEach(({ similarity }, rank) => expect(similarity).toBeCloseTo(first[rank]?.similarity ?? 0, 5))
  })

  // W70
  it('makes a search compute vectors only for the chunks that it shows, the best by words', async () => {
    const computed = gate()
    engine.hook = (step) => (step === 'texts:embed' ? computed.opened : undefined)
    const contextId = await engine.newContext()
    await engine.upload(contextId, 'large.txt', LARGE_TEXT)
    await vi.waitFor(async () => expect(await engine.foundByWords(contextId, 'badger')).toHaveLength(1), LONG)
    const { session } = engine.opened
    const before = engine.model.textsOfSearches
    // One chunk in seven has this kind.
    const found = await session.search(contextId, 'jam of kind 3', { topN: 5, scoreThreshold: 0, collapse: false })
    expect(found).toHaveLength(5)
    expect(found.map(({ content }) => content)).toEqual(found.map(() => expect.stringContaining('kind 3') as string))
    expect(engine.model.textsOfSearches - before).toBe(5)
    computed.open()
  })

  // W8
  it('is findable early when it is small too, and is written in one step when its vectors are quick', async () => {
    const computed = gate()
    engine.hook = (step) => (step === 'texts:embed' ? computed.opened : undefined)
    const contextId = await engine.newContext()
    const uuid = await engine.upload(contextId, 'small.txt', SMALL_TEXT)
    await vi.waitFor(async () => expect(await engine.foundByWords(contextId, 'heron')).toEqual([1]), LONG)
    expect((await engine.opened.session.documents.get(uuid)).completed).toBeNull()
    computed.open()
    await expectWhole(contextId, uuid, 'heron')

    const stored: number[] = []
    engine.hook = async (step) => {
      if (step !== 'words:added' && step !== 'vectors:added') return
      stored.push((await engine.storage.read(({ chunks }) => chunks.count([2]))).size)
    }
    const quick = await engine.upload(contextId, 'quick.txt', smallText('kingfisher'))
    const { id } = await engine.opened.session.documents.whenProcessed(quick)
    expect(stored).toEqual([0, 0])
    expect(await engine.foundByWords(contextId, 'kingfisher')).toEqual([id])
  })

  // W3
  it('is not found before it is completed in a context that disables early results', async () => {
    const computed = gate()
    engine.hook = (step) => (step === 'texts:embed' ? computed.opened : undefined)
    const contextId = await engine.newContext({ findsEarly: false })
    let uuid = ''
    const events = heard(() => uuid)
    uuid = await engine.upload(contextId, 'large.txt', LARGE_TEXT)
    const wordsOf = async () => (await engine.storage.read(({ documents }) => documents.get(1)))?.wordsVersion
    await vi.waitFor(async () => expect(await wordsOf()).toBeTypeOf('number'), LONG)
    expect(await engine.foundByWords(contextId, 'cormorant')).toEqual([])
    computed.open()
    await expectWhole(contextId, uuid, 'cormorant')
    expect(events).toEqual(['document.completed'])
  })

  // W4
  it('is no longer found after its vectors fail for good, and is found after a retry', async () => {
    const failing = gate()
    engine.hook = async (step) => {
      if (step !== 'texts:embed') return
      await failing.opened
      throw new VectorInvalidError('the model is broken')
    }
    const contextId = await engine.newContext()
    const uuid = await engine.upload(contextId, 'large.txt', LARGE_TEXT)
    await vi.waitFor(async () => expect(await engine.foundByWords(contextId, 'cormorant')).toEqual([1]), LONG)
    failing.open()
    const { session } = engine.opened
    await expect(session.documents.whenProcessed(uuid)).rejects.toMatchObject({ code: 'ERR_VECTOR_INVALID' })
    expect(await engine.foundByWords(contextId, 'cormorant')).toEqual([])
    engine.hook = () => undefined
    await session.documents.retry(uuid)
    await expectWhole(contextId, uuid, 'cormorant')
  })
})

describe('a document that is being processed', () => {
  // W2
  it('is found with all of its words or not at all, even between two parts of them', async () => {
    const contextId = await engine.newContext()
    const found: number[] = []
    let adds = 0
    engine.hook = async (step) => {
      if (step !== 'words:added') return
      adds += 1
      for (const word of ['aardvark', 'badger', 'cormorant'])
        found.push(...(await engine.foundByWords(contextId, word)))
      if (adds === 2) throw new Error('the index stumbles between two parts')
    }
    const uuid = await engine.upload(contextId, 'large.txt', LARGE_TEXT)
    await engine.opened.session.documents.whenProcessed(uuid)
    expect(adds).toBeGreaterThanOrEqual(5)
    expect(found).toEqual([])
    for (const word of ['aardvark', 'badger', 'cormorant']) await expectWhole(contextId, uuid, word)
  })

  // W9
  it.each(['words:delete', 'words:add', 'words:added'] as const)(
    'survives a transient error at %s, and reports a lasting one until a retry completes it',
    async (failing) => {
      const contextId = await engine.newContext()
      let left = 1
      engine.hook = (step) => {
        if (step !== failing || left === 0) return
        left -= 1
        throw new Error('the table is broken')
      }
      const texts = [SMALL_TEXT, LARGE_TEXT.slice(0, 40_000)]
      for (const [at, text] of texts.entries()) {
        left = 1
        const uuid = await engine.upload(contextId, `${at}.txt`, text)
        const { id, chunks } = await engine.opened.session.documents.whenProcessed(uuid)
        expect((await engine.words.countByDocument((await engine.words.listCollections())[0] ?? '')).get(id)).toBe(
          chunks,
        )
      }
      engine.hook = (step) => {
        if (step === failing) throw new StorageError('the words cannot be written', { isTransient: false })
      }
      const uuid = await engine.upload(contextId, 'b.txt', smallText('owl'))
      await expect(engine.opened.session.documents.whenProcessed(uuid)).rejects.toThrow(
        'b.txt: the words cannot be written (ERR_STORAGE)',
      )
      expect(await engine.foundByWords(contextId, 'owl')).toEqual([])
      engine.hook = () => undefined
      await engine.opened.session.documents.retry(uuid)
      await engine.opened.session.documents.whenProcessed(uuid)
      expect(await engine.foundByWords(contextId, 'owl')).toEqual([3])
    },
  )

  // W9
  it('waits without failing when the disk has no space for its words', async () => {
    const contextId = await engine.newContext()
    let isFull = true
    engine.hook = (step) => {
      if (step === 'words:add' && isFull) throw new StorageFullError('the disk is full')
    }
    const uuid = await engine.upload(contextId, 'large.txt', LARGE_TEXT)
    const failures = () => engine.opened.telemetry.events.filter(({ name }) => name === 'jobs.failed')
    await vi.waitFor(() => expect(failures().length).toBeGreaterThan(1), LONG)
    expect(await engine.opened.session.documents.get(uuid)).toMatchObject({ completed: null, error: null })
    isFull = false
    await expectWhole(contextId, uuid, 'cormorant')
  })

  // W7
  it('whose words are lost while its vectors are computed has them indexed before it is completed', async () => {
    const computed = gate()
    engine.hook = (step) => (step === 'texts:embed' ? computed.opened : undefined)
    const contextId = await engine.newContext()
    const uuid = await engine.upload(contextId, 'large.txt', LARGE_TEXT)
    await vi.waitFor(async () => expect(await engine.foundByWords(contextId, 'cormorant')).toEqual([1]), LONG)
    for (const name of await engine.words.listCollections()) await engine.words.drop(name)
    computed.open()
    await expectWhole(contextId, uuid, 'cormorant')
  })

  // W7
  it('is not completed without words when a repair resets them at its end', async () => {
    const contextId = await engine.newContext()
    let isForgotten = false
    const uuid = await engine.upload(contextId, 'large.txt', LARGE_TEXT)
    engine.hook = async (step) => {
      if (step !== 'vectors:added' || isForgotten) return
      isForgotten = true
      for (const name of await engine.words.listCollections()) await engine.words.drop(name)
      await engine.storage.transaction(({ documents }) => documents.update(1, { wordsVersion: null }))
    }
    await expectWhole(contextId, uuid, 'cormorant')
    expect(isForgotten).toBe(true)
  })

  const steps: readonly WordStep[] = ['words:add', 'words:added', 'texts:embed', 'vectors:add', 'vectors:added']

  // W5
  it.each(steps.flatMap((step) => [['document', step] as const, ['context', step] as const]))(
    'is deleted with its %s at %s, and leaves no rows in either index',
    async (what, at) => {
      const contextId = await engine.newContext()
      const [reached, goOn] = [gate(), gate()]
      engine.hook = async (step) => {
        if (step !== at) return
        reached.open()
        await goOn.opened
      }
      for (const text of [SMALL_TEXT, LARGE_TEXT]) {
        const uuid = await engine.upload(contextId, `${text.length}.txt`, text)
        await reached.opened
        const { session } = engine.opened
        if (what === 'document') await session.documents.delete(uuid)
        else if (text === LARGE_TEXT) await session.contexts.delete(contextId)
      }
      // The purge comes before the last write.
      await engine.untilNoJob('purge-document', 'purge-context')
      goOn.open()
      await engine.opened.engine.whenCleared()
      if (what === 'document') expect(await engine.foundByWords(contextId, 'heron')).toEqual([])
      expect(await engine.rows(engine.words)).toEqual([])
      expect(await engine.rows(engine.vectors)).toEqual([])
    },
  )
})

describe('a process that ends while it processes a document', () => {
  const cases: readonly [step: WordStep, time: number][] = [
    ['words:add', 1],
    ['words:added', 1],
    ['words:added', 2],
    ['texts:embed', 1],
    ['vectors:add', 1],
    ['vectors:added', 1],
    ['vectors:add', 2],
    ['vectors:added', 3],
  ]

  // W6
  it.each(cases)(
    'at %s (%i) leaves the document to the next process, which stores each chunk once',
    async (at, time) => {
      const contextId = await engine.newContext()
      const ended = gate()
      let times = 0
      engine.hook = (step) => {
        if (step === at) times += 1
        if (times < time) return
        ended.open()
        throw new Error('the process ends')
      }
      const uuid = await engine.upload(contextId, 'large.txt', LARGE_TEXT)
      await ended.opened
      await engine.close()
      const { texts } = engine.model
      const before = await engine.storage.read(({ documents }) => documents.get(1))
      engine.hook = () => undefined
      const { engine: next } = await engine.open()
      const events: string[] = []
      next.on('document.findable', () => events.push('findable'))
      await expectWhole(contextId, uuid, 'cormorant')
      // Searches find words that were indexed before all the time. Recorded vectors are not computed a second time.
      expect(events).toEqual(before?.wordsVersion === null ? ['findable'] : [])
      const chunks = (await engine.opened.session.documents.chunks(uuid)).length
      expect(engine.model.texts).toBe(chunks - (before?.embeddedChunks ?? 0))
      expect(texts).toBeGreaterThanOrEqual(before?.embeddedChunks ?? 0)
    },
  )

  // W6
  it('leaves a document whose text then changes: the next process replaces all words and the changed chunks', async () => {
    const contextId = await engine.newContext()
    engine.hook = (step) => {
      if (step === 'vectors:added') throw new Error('the process ends')
    }
    const uuid = await engine.upload(contextId, 'large.txt', LARGE_TEXT)
    await vi.waitFor(async () => expect(await engine.foundByWords(contextId, 'cormorant')).toEqual([1]), LONG)
    await engine.close()
    const found: number[] = []
    engine.hook = async (step) => {
      if (step === 'words:added') found.push(...(await engine.foundByWords(contextId, 'cormorant')))
    }
    const other = `${LARGE_TEXT.slice(0, 60_000)} Everything else has burnt.`
    vi.spyOn(engine.fileStore, 'read').mockImplementation(async function* () {
      yield Buffer.from(other)
    })
    await engine.open()
    await engine.opened.session.documents.whenProcessed(uuid)
    expect(found).toEqual([])
    expect(await engine.foundByWords(contextId, 'cormorant')).toEqual([])
    await expectWhole(contextId, uuid, 'burnt')
    vi.restoreAllMocks()
  })
})
