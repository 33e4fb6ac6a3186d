import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MemoryEmbeddingModel, MemoryStorage } from '../../../../adapters/memory/index.js'
import { ClosedError, type DocumentState, type Session, type WatchOptions } from '../../../../src/index.js'
import { HeldModel } from '../../engine/held-model.js'
import { memoryEngine, NEW_CONTEXT, uploadText } from '../../engine/memory-engine.js'

/** The polls and the checks of rights run by these timers, so that no test waits. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

const POLL_MS = 1_000
const CHECK_MS = 5_000

/** A storage that counts the reads through it, and not those of other engines on the same data. */
function countReads(storage: MemoryStorage): { readonly storage: MemoryStorage; readonly counts: { reads: number } } {
  const counts = { reads: 0 }
  const counted = new Proxy(storage, {
    get: (target, name) => {
      if (name === 'read') counts.reads += 1
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
  return { storage: counted, counts }
}

/** Lets the reader see each step, once its gate is open. */
class SlowModel extends HeldModel {
  override async embed(...call: Parameters<MemoryEmbeddingModel['embed']>): Promise<Float32Array> {
    await this.gate.opened
    await new Promise((resolve) => setTimeout(resolve, 10))
    return await super.embed(...call)
  }
}

/** Reads all states of a watch as they come. */
class Reader {
  readonly states: DocumentState[] = []
  error: unknown
  isReady = false
  readonly #done: Promise<void>

  constructor(session: Session, contextId: number, options: WatchOptions = {}) {
    const watch = session.documents.watch(contextId, { ...options, onReady: () => (this.isReady = true) })
    this.#done = this.#read(watch)
  }

  async #read(watch: AsyncIterable<DocumentState>): Promise<void> {
    try {
      for await (const state of watch) this.states.push(state)
    } catch (error) {
      this.error = error
    }
  }

  get statuses(): string[] {
    return this.states.map(({ displayName, status }) => `${displayName} ${status}`)
  }

  async ended(): Promise<unknown> {
    await this.#done
    return this.error
  }

  async until(isReached: () => boolean): Promise<void> {
    for (let steps = 0; !isReached(); steps += 1) {
      if (steps > 200) throw new Error(`not reached: ${JSON.stringify(this.states)}, ${String(this.error)}`)
      await vi.advanceTimersByTimeAsync(100)
    }
  }
}

const content = (text: string): Buffer => Buffer.from(text)

describe('a watch of documents', () => {
  it('yields the states at the beginning, then each change, and says when it knows all', async () => {
    const model = new HeldModel()
    const { engine, session } = await memoryEngine({ embeddingModels: [model] })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    await session.documents.upload(id, { fileName: 'first.txt', content: content('First text.') })
    const reader = new Reader(session, id)
    await reader.until(() => reader.isReady)
    expect(reader.states).toHaveLength(1)
    await reader.until(() => reader.statuses.at(-1) === 'first.txt processing')
    await session.documents.upload(id, { fileName: 'second.txt', content: content('Second text.') })
    await reader.until(() => reader.statuses.includes('second.txt processing'))
    model.gate.open()
    await reader.until(() => reader.statuses.filter((status) => status.endsWith('completed')).length === 2)
    const last = reader.states.findLast(({ displayName }) => displayName === 'first.txt')
    expect(last).toMatchObject({ contextId: id, status: 'completed', stage: null, percent: 100, error: null })
    await vi.advanceTimersByTimeAsync(3 * POLL_MS)
    expect(reader.statuses.filter((status) => status === 'second.txt completed')).toHaveLength(1)
    await engine.close()
    expect(await reader.ended()).toBeInstanceOf(ClosedError)
  })

  it('counts the windows of a large document, and its percent, up to 99 until it is completed', async () => {
    const model = new SlowModel()
    const { engine, session } = await memoryEngine({ embeddingModels: [model] })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const reader = new Reader(session, id)
    const text = Array.from({ length: 7_000 }, (_, at) => `Sentence ${at} of a long text.`).join('\n')
    await session.documents.upload(id, { fileName: 'long.txt', content: content(text) })
    await reader.until(() => reader.states.at(-1)?.stage === 'embedding')
    model.gate.open()
    await reader.until(() => reader.states.at(-1)?.status === 'completed')
    const embedding = reader.states.filter(({ stage }) => stage === 'embedding')
    expect(embedding.length).toBeGreaterThan(1)
    const total = embedding[0]?.windowsTotal ?? 0
    expect(total).toBeGreaterThan(256)
    for (const { windowsEmbedded, windowsTotal, percent } of embedding) {
      expect(windowsTotal).toBe(total)
      expect(percent).toBe(Math.min(99, Math.floor((100 * windowsEmbedded) / total)))
    }
    const percents = embedding.map(({ percent }) => percent ?? -1)
    expect(percents).toEqual([...percents].sort((one, other) => one - other))
    await engine.close()
  })

  it('begins with the progress of its moment, although nobody watched before, also in another process', async () => {
    const model = new SlowModel()
    const { engine, session, storage } = await memoryEngine({ embeddingModels: [model] })
    const elsewhere = await memoryEngine({ storage, isWorking: false })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    let percent = 0
    engine.on('document.progress', (progress) => {
      percent = progress.percent ?? 0
    })
    const text = Array.from({ length: 7_000 }, (_, at) => `Sentence ${at} of a long text.`).join('\n')
    await session.documents.upload(id, { fileName: 'long.txt', content: content(text) })
    model.gate.open()
    for (let steps = 0; percent < 40 && steps < 2_000; steps += 1) await vi.advanceTimersByTimeAsync(10)
    const told = percent
    expect(told).toBeGreaterThanOrEqual(40)
    for (const watcher of [session, elsewhere.session]) {
      const watch = watcher.documents.watch(id)[Symbol.asyncIterator]()
      const step: IteratorResult<DocumentState, unknown> = await watch.next()
      if (step.done === true) throw new Error('the watch ended')
      const first = step.value
      expect(first).toMatchObject({ status: 'processing', stage: 'embedding' })
      expect(first.windowsTotal).toBeGreaterThan(256)
      // Another process reads the stored progress, which is coarser.
      expect(first.percent).toBeGreaterThanOrEqual(watcher === session ? told : 0)
      await watch.return?.(undefined)
    }
    // The model goes on by these timers until the engine has stopped it.
    await Promise.all([elsewhere.engine.close(), engine.close(), vi.advanceTimersByTimeAsync(60_000)])
  })

  it('tells failures with their code, retries, replacements and deletions', async () => {
    const model = new HeldModel()
    const { engine, session } = await memoryEngine({ embeddingModels: [model] })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const blank = await session.documents.upload(id, { fileName: 'blank.txt', content: content('   \n') })
    const reader = new Reader(session, id)
    await reader.until(() => reader.statuses.at(-1) === 'blank.txt failed')
    expect(reader.states.at(-1)).toMatchObject({ errorCode: 'ERR_NO_TEXT', percent: null })
    expect(reader.states.at(-1)?.error).toContain('(ERR_NO_TEXT)')
    const failures = reader.states.length
    await session.documents.retry(blank)
    await reader.until(() => reader.states.length > failures && reader.statuses.at(-1) === 'blank.txt failed')

    const { id: docId } = await session.documents.get(blank)
    const uuid = await session.documents.replace({ contextId: id, id: docId }, { content: content('Some text.') })
    await reader.until(() => reader.states.at(-1)?.uuid === uuid && reader.states.at(-1)?.status === 'processing')
    expect(reader.states.at(-1)).toMatchObject({ id: docId, isReplacement: true })
    model.gate.open()
    await reader.until(() => reader.states.at(-1)?.status === 'completed')
    expect(reader.states.at(-1)).toMatchObject({ id: docId, uuid, isReplacement: false })
    await engine.close()
  })

  it('tells the deletion of an unfinished document', async () => {
    const model = new HeldModel()
    const { engine, session } = await memoryEngine({ embeddingModels: [model] })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuid = await session.documents.upload(id, { fileName: 'gone.txt', content: content('Text.') })
    const reader = new Reader(session, id)
    await reader.until(() => reader.states.length > 0)
    await session.documents.delete(uuid)
    await reader.until(() => reader.statuses.at(-1) === 'gone.txt deleted')
    expect(reader.states.at(-1)).toMatchObject({ uuid, stage: null, percent: null })
    model.gate.open()
    await engine.close()
  })

  it('tells the deletion of a completed document at once, after its last state', async () => {
    const { engine, session } = await memoryEngine()
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const [uuid] = [await uploadText(session, id, 'one.txt', 'One.'), await uploadText(session, id, 'two.txt', 'Two.')]
    const readers = [new Reader(session, id), new Reader(session, id, { snapshot: 'unfinished' })]
    for (const reader of readers) await reader.until(() => reader.isReady)
    await session.documents.delete(uuid)
    // No poll runs meanwhile.
    await vi.advanceTimersByTimeAsync(100)
    expect(readers.map(({ statuses }) => statuses)).toEqual([
      ['one.txt completed', 'two.txt completed', 'one.txt deleted'],
      ['one.txt deleted'],
    ])
    expect(readers[0]?.states.at(-1)).toMatchObject({ uuid, stage: null, percent: null, error: null })
    await vi.advanceTimersByTimeAsync(5 * POLL_MS)
    expect(readers.map(({ statuses }) => statuses.length)).toEqual([3, 1])
    await engine.close()
  })

  it.each([
    ['completed', 'all'],
    ['waiting', 'all'],
    ['waiting', 'unfinished'],
  ] as const)('tells once the deletion of a %s document during the snapshot of %s', async (status, snapshot) => {
    const isWaiting = status === 'waiting'
    const { engine, session } = await memoryEngine(isWaiting ? { roles: ['relay'] } : {})
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const upload = async (fileName: string): Promise<string> => {
      const uuid = await session.documents.upload(id, { fileName, content: content(fileName) })
      if (!isWaiting) await session.documents.whenProcessed(uuid)
      return uuid
    }
    await upload('one.txt')
    const uuid = await upload('two.txt')
    const { id: docId } = await session.documents.get(uuid)
    const watch = session.documents.watch(id, { snapshot })[Symbol.asyncIterator]()
    expect((await watch.next()).value).toMatchObject({ displayName: 'one.txt', status })
    await session.documents.delete(uuid)
    const deleted = { id: docId, uuid, displayName: 'two.txt', status: 'deleted', isReplacement: false, percent: null }
    expect((await watch.next()).value).toMatchObject(deleted)
    const next = watch.next()
    await vi.advanceTimersByTimeAsync(3 * POLL_MS)
    await upload('three.txt')
    await vi.advanceTimersByTimeAsync(2 * POLL_MS)
    expect((await next).value).toMatchObject({ displayName: 'three.txt' })
    await watch.return?.()
    await engine.close()
  })

  it('tells what another process deleted during its uploads', async () => {
    const ports = await memoryEngine()
    const watching = await memoryEngine({ storage: ports.storage, isWorking: false })
    const { id } = await ports.session.contexts.create(NEW_CONTEXT)
    const uuid = await uploadText(ports.session, id, 'one.txt', 'One.')
    await uploadText(ports.session, id, 'two.txt', 'Two.')
    const reader = new Reader(watching.session, id)
    await reader.until(() => reader.isReady)
    await ports.session.documents.delete(uuid)
    // Each poll finds a new document, so the number of documents never falls.
    for (let polls = 0; polls < 3; polls += 1) {
      await uploadText(ports.session, id, `new-${polls}.txt`, `New ${polls}.`)
      await vi.advanceTimersByTimeAsync(POLL_MS)
    }
    expect(reader.statuses.filter((status) => status.endsWith('deleted'))).toEqual(['one.txt deleted'])
    await watching.engine.close()
    await ports.engine.close()
  })

  it('tells what another process deleted, also if it uploaded as many documents at the same time', async () => {
    const ports = await memoryEngine()
    const { storage, counts } = countReads(ports.storage)
    const watching = await memoryEngine({ storage, isWorking: false })
    const { id } = await ports.session.contexts.create(NEW_CONTEXT)
    const uuid = await uploadText(ports.session, id, 'one.txt', 'One.')
    await uploadText(ports.session, id, 'two.txt', 'Two.')
    const reader = new Reader(watching.session, id)
    await reader.until(() => reader.isReady)
    await ports.session.documents.delete(uuid)
    await uploadText(ports.session, id, 'three.txt', 'Three.')
    await vi.advanceTimersByTimeAsync(2 * POLL_MS)
    const changes = reader.statuses.slice(2)
    expect(changes.filter((status) => status.endsWith('deleted'))).toEqual(['one.txt deleted'])
    expect(changes.at(-1)).toMatch(/^(one\.txt deleted|three\.txt completed)$/)
    counts.reads = 0
    await vi.advanceTimersByTimeAsync(3 * POLL_MS)
    expect(counts.reads).toBe(3)
    expect(reader.statuses.slice(2)).toEqual(changes)
    await watching.engine.close()
    await ports.engine.close()
  })

  it('of one document has no other document, and ends with its deletion', async () => {
    const { engine, session } = await memoryEngine()
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const uuid = await uploadText(session, id, 'one.txt', 'Text of one.')
    const { id: docId } = await session.documents.get(uuid)
    const reader = new Reader(session, id, { docId })
    await reader.until(() => reader.isReady)
    await uploadText(session, id, 'other.txt', 'Text of another.')
    await session.documents.delete(uuid)
    await vi.advanceTimersByTimeAsync(CHECK_MS + POLL_MS)
    expect(await reader.ended()).toBeUndefined()
    expect(reader.statuses).toEqual(['one.txt completed', 'one.txt deleted'])
    await engine.close()
  })

  it('may begin with unfinished documents alone', async () => {
    const { engine, session } = await memoryEngine()
    const { id } = await session.contexts.create(NEW_CONTEXT)
    await uploadText(session, id, 'old.txt', 'Old text.')
    const reader = new Reader(session, id, { snapshot: 'unfinished' })
    await reader.until(() => reader.isReady)
    expect(reader.states).toEqual([])
    await uploadText(session, id, 'new.txt', 'New text.')
    await reader.until(() => reader.statuses.at(-1) === 'new.txt completed')
    await engine.close()
  })

  it('follows the work of another process by one read a second, however many callers watch', async () => {
    const ports = await memoryEngine()
    const { storage, counts } = countReads(ports.storage)
    const watching = await memoryEngine({ storage, isWorking: false })
    const { id } = await ports.session.contexts.create(NEW_CONTEXT)
    const readers = Array.from({ length: 20 }, () => new Reader(watching.session, id))
    for (const reader of readers) await reader.until(() => reader.isReady)
    await vi.advanceTimersByTimeAsync(POLL_MS)
    counts.reads = 0
    await vi.advanceTimersByTimeAsync(3 * POLL_MS)
    expect(counts.reads).toBe(3)
    await uploadText(ports.session, id, 'elsewhere.txt', 'Processed elsewhere.')
    for (const reader of readers) await reader.until(() => reader.statuses.at(-1) === 'elsewhere.txt completed')
    await watching.engine.close()
    for (const reader of readers) expect(await reader.ended()).toBeInstanceOf(ClosedError)
    await ports.engine.close()
  })

  it('gives a slow consumer the last state of each document', async () => {
    const { engine, session } = await memoryEngine()
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const watch = session.documents.watch(id)[Symbol.asyncIterator]()
    const first = watch.next()
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await uploadText(session, id, name, `Text of ${name}.`)
    const [a] = await Promise.all([first, vi.advanceTimersByTimeAsync(2 * POLL_MS)])
    const states = [a.value as DocumentState]
    while (states.filter(({ status }) => status === 'completed').length < 3)
      states.push((await watch.next()).value as DocumentState)
    expect(states.filter(({ displayName }) => displayName === 'c.txt')).toMatchObject([{ status: 'completed' }])
    await watch.return?.()
    await engine.close()
  })

  it('ends once the caller may not read the context any more', async () => {
    const { engine, session } = await memoryEngine()
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const { administration, owner } = engine
    const company = await administration.companies.create({ name: 'Other', parentId: owner.companyId })
    const reader = new Reader(session, id)
    await reader.until(() => reader.isReady)
    await session.contexts.delete(id)
    await vi.advanceTimersByTimeAsync(CHECK_MS + POLL_MS)
    expect(await reader.ended()).toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
    const stranger = engine.as({ ...owner, companyId: company.id })
    expect(await new Reader(stranger, id).ended()).toMatchObject({ code: expect.stringMatching(/^ERR_/) as string })
    await engine.close()
  })

  it('is refused above the limits, until another one ends', async () => {
    const { engine, session } = await memoryEngine({ limits: { watchesPerKey: 2 } })
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const leaving = new AbortController()
    const [one, two] = [new Reader(session, id, { signal: leaving.signal }), new Reader(session, id)]
    await two.until(() => two.isReady)
    expect(await new Reader(session, id).ended()).toMatchObject({ code: 'ERR_THROTTLED', retryAfterSeconds: 5 })
    leaving.abort(new Error('left'))
    expect(await one.ended()).toMatchObject({ message: 'left' })
    const three = new Reader(session, id)
    await three.until(() => three.isReady)
    await engine.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('refuses unknown options, documents and contexts', async () => {
    vi.useRealTimers()
    const { engine, session } = await memoryEngine()
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const errorOf = async (contextId: number, options: object): Promise<unknown> =>
      await new Reader(session, contextId, options).ended()
    expect(await errorOf(id, { docID: 1 })).toMatchObject({ code: 'ERR_INVALID_INPUT' })
    expect(await errorOf(id, { snapshot: 'some' })).toMatchObject({ code: 'ERR_INVALID_INPUT' })
    expect(await errorOf(id, { docId: 77 })).toMatchObject({ code: 'ERR_DOCUMENT_NOT_FOUND' })
    expect(await errorOf(99, {})).toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
    await engine.close()
  })
})
