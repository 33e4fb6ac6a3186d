import { afterEach, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel, MemoryVectorIndex } from '../../../adapters/memory/index.js'
import type { Engine, EngineLimits, Principal } from '../../../src/index.js'
import type { EmbedOptions } from '../../../src/ports/index.js'
import { memoryEngine, NEW_CONTEXT } from '../engine/memory-engine.js'

/** A model that embeds one window at a time, each on a signal from the test. */
class HeldModel extends MemoryEmbeddingModel {
  readonly concurrency = 1
  /** Beginnings of the embedded windows, in their order. */
  readonly begun: string[] = []
  readonly #waiting: (() => void)[] = []
  isHeld = false

  override async embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array> {
    if (options.kind === 'query') this.begun.push(...texts.map((text) => text.split(' ')[0] ?? ''))
    if (options.kind === 'query' && this.isHeld) {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.push(resolve)
        options.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error))
      })
    }
    return await super.embed(texts, options)
  }

  /** Releases so many windows, one after the other. */
  async go(windows: number): Promise<void> {
    for (let window = 0; window < windows; window += 1) {
      await expect.poll(() => this.#waiting.length, { interval: 1 }).toBeGreaterThan(0)
      this.#waiting.shift()?.()
    }
  }

  goOn(): void {
    this.isHeld = false
    for (const go of this.#waiting.splice(0)) go()
  }
}

/** An index with three places, whose searches the test holds. */
class HeldIndex extends MemoryVectorIndex {
  readonly concurrency = 3
  begun = 0
  isHeld = false
  readonly #waiting: (() => void)[] = []

  override async search(...args: Parameters<MemoryVectorIndex['search']>): ReturnType<MemoryVectorIndex['search']> {
    this.begun += 1
    if (this.isHeld) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return await super.search(...args)
  }

  goOn(): void {
    this.isHeld = false
    for (const go of this.#waiting.splice(0)) go()
  }
}

let engine: Engine
let model: HeldModel

interface Tenant {
  readonly principal: Principal
  search(prompt: string, signal?: AbortSignal, clientId?: string): Promise<unknown>
}

async function start(limits: Partial<EngineLimits> = {}): Promise<void> {
  model = new HeldModel()
  engine = (await memoryEngine({ embeddingModels: [model], limits })).engine
}

async function tenant(name: string): Promise<Tenant> {
  const { administration } = engine
  const company = await administration.companies.create({ name, parentId: 1 })
  const key = await administration.apiKeys.create({ companyId: company.id })
  const accounts = await administration.accounts.list()
  const account = accounts.find(
    ({ customerId, application }) => customerId === company.id && application === 'assistant',
  )
  const principal: Principal = {
    ...{ companyId: company.id, userId: key.userId, accountId: account?.id ?? 0, sight: 'account' },
    origin: { clientId: key.clientId },
  }
  const { id } = await engine.as(principal).contexts.create(NEW_CONTEXT)
  return {
    principal,
    search: async (prompt, signal, clientId = key.clientId) => {
      const session = engine.as({ ...principal, origin: { clientId } })
      return await session.search(id, prompt, { ...(signal && { signal }) })
    },
  }
}

/** A search has found its context, and waits for the model. */
async function untilQueued(): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, 100)
  })
}

const LONG = 'long '.repeat(1_000)

afterEach(async () => {
  model.goOn()
  await engine.close()
})

describe('the admission of requests', () => {
  // A31
  it('lets the short prompt of a company pass after one window of a flood of long ones', async () => {
    await start()
    const [flood, victim] = [await tenant('Flood'), await tenant('Victim')]
    model.isHeld = true
    const floods = Array.from({ length: 32 }, async () => await flood.search(LONG))
    await expect.poll(() => model.begun).toEqual(['long'])
    const answered = victim.search('short')
    await untilQueued()
    await model.go(3)
    expect(await answered).toEqual([])
    expect(model.begun.indexOf('short')).toBeLessThanOrEqual(2)
    model.goOn()
    await Promise.all(floods)
    expect(model.begun.filter((word) => word === 'long').length).toBeGreaterThan(32 * 15)
  })

  // A31
  it('alternates between the keys of a company too', async () => {
    await start()
    const flood = await tenant('Flood')
    model.isHeld = true
    const floods = Array.from({ length: 8 }, async () => await flood.search(LONG, undefined, 'ak_one'))
    await expect.poll(() => model.begun).toEqual(['long'])
    const answered = flood.search('short', undefined, 'ak_two')
    await untilQueued()
    await model.go(3)
    expect(await answered).toEqual([])
    model.goOn()
    await Promise.all(floods)
  })

  // A31
  it('limits the concurrent reads of the vector index, and shares them between companies', async () => {
    const begun: number[] = []
    let running = 0
    let most = 0
    class SlowIndex extends MemoryVectorIndex {
      override async search(...args: Parameters<MemoryVectorIndex['search']>): ReturnType<MemoryVectorIndex['search']> {
        running += 1
        most = Math.max(most, running)
        begun.push(Number(/\d+/.exec(args[0].name)?.[0]))
        await new Promise((resolve) => {
          setTimeout(resolve, 5)
        })
        running -= 1
        return await super.search(...args)
      }
    }
    model = new HeldModel()
    engine = (await memoryEngine({ embeddingModels: [model], vectorIndex: new SlowIndex() })).engine
    const [flood, victim] = [await tenant('Flood'), await tenant('Victim')]
    const floods = Array.from({ length: 32 }, async () => await flood.search(LONG))
    await expect.poll(() => begun.length).toBeGreaterThan(20)
    const before = begun.length
    await victim.search('short')
    // Most of the difference is reads of the flood while the victim's prompt was embedded.
    expect(begun.length - before).toBeLessThan(100)
    expect(most).toBeLessThanOrEqual(8)
    await Promise.all(floods)
  })

  // A31
  it('keeps a read of an index for other companies while one company has many slow reads', async () => {
    const vectorIndex = new HeldIndex()
    model = new HeldModel()
    engine = (await memoryEngine({ embeddingModels: [model], vectorIndex })).engine
    const [flood, victim] = [await tenant('Flood'), await tenant('Victim')]
    vectorIndex.isHeld = true
    const floods = Array.from({ length: 16 }, async () => await flood.search('slow'))
    await expect.poll(() => vectorIndex.begun).toBe(2)
    await expect.poll(() => model.begun).toHaveLength(16)
    const answered = victim.search('short')
    await expect.poll(() => vectorIndex.begun).toBe(3)
    vectorIndex.goOn()
    expect(await answered).toEqual([])
    await Promise.all(floods)
  })

  // A32
  it('refuses searches of a key, and of a company, above the limit of searches in progress', async () => {
    await start({ searchesPerKey: 2, searchesPerCompany: 3 })
    const [flood, victim] = [await tenant('Flood'), await tenant('Victim')]
    model.isHeld = true
    const floods = [flood.search('a'), flood.search('b'), flood.search('c', undefined, 'ak_two')]
    await expect(flood.search('d')).rejects.toMatchObject({
      code: 'ERR_THROTTLED',
      message: 'this company already has 3 searches in progress, the maximum: wait until one of them finishes',
      retryAfterSeconds: 1,
    })
    const others = [victim.search('e'), victim.search('f')]
    await expect(victim.search('g')).rejects.toMatchObject({
      code: 'ERR_THROTTLED',
      message: 'this API key already has 2 searches in progress, the maximum: wait until one of them finishes',
    })
    model.goOn()
    expect(await Promise.all([...floods, ...others])).toHaveLength(5)
    // Refused and failed searches hold no place.
    for (let time = 0; time < 5; time += 1) {
      await expect(flood.search('')).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT' })
      expect(await flood.search('h')).toEqual([])
    }
  })

  // A32
  it('counts the searches of a user when there is no key', async () => {
    await start({ searchesPerKey: 1 })
    const { id } = await engine.as(engine.owner).contexts.create(NEW_CONTEXT)
    model.isHeld = true
    const first = engine.as(engine.owner).search(id, 'a')
    await expect(engine.as(engine.owner).search(id, 'b')).rejects.toThrow(
      'this user already has 1 searches in progress',
    )
    model.goOn()
    expect(await first).toEqual([])
  })

  // A33
  it('drops an aborted search: it leaves the queue, and frees its place', async () => {
    await start({ searchesPerKey: 2 })
    const flood = await tenant('Flood')
    model.isHeld = true
    const leaving = [new AbortController(), new AbortController()]
    const aborted = leaving.map(({ signal }) => flood.search(LONG, signal))
    const refused = Promise.allSettled(aborted)
    await expect.poll(() => model.begun.length).toBe(1)
    for (const one of leaving) one.abort(new Error('the client went away'))
    expect((await refused).map((one) => (one.status === 'rejected' ? (one.reason as Error).message : ''))).toEqual([
      'the client went away',
      'the client went away',
    ])
    model.isHeld = false
    expect(await flood.search('short')).toEqual([])
    expect(model.begun).toEqual(['long', 'short'])
  })

  // A34
  it('embeds of a prompt with more tokens than the limit the first and the last windows alone', async () => {
    await start({ promptTokens: 1_000 })
    const one = await tenant('One')
    const before = model.begun.length
    expect(await one.search(`first ${'word '.repeat(6_000)}last`)).toEqual([])
    expect(model.begun.length - before).toBeGreaterThan(1)
    expect(model.begun.length - before).toBeLessThan(20)
    expect(model.begun[before]).toBe('first')
  })

  // A35
  it('refuses uploads of a company above the limit of uploads in progress', async () => {
    await start({ uploadsPerCompany: 2 })
    const [busy, other] = [await tenant('Busy'), await tenant('Other')]
    const contextOf = async ({ principal }: Tenant) => (await engine.as(principal).contexts.list())[0]?.id ?? 0
    const ends: (() => void)[] = []
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('slow text ')
      await new Promise<void>((resolve) => ends.push(resolve))
    }
    const session = engine.as(busy.principal)
    const contextId = await contextOf(busy)
    const uploads = ['a.txt', 'b.txt'].map((fileName) =>
      session.documents.upload(contextId, { fileName, content: slow() }),
    )
    await expect.poll(() => ends.length).toBe(2)
    const content = Buffer.from('text')
    const refusal = {
      code: 'ERR_THROTTLED',
      message: 'this company has its maximum of 2 running uploads: wait until one of them is finished',
      retryAfterSeconds: 5,
    }
    await expect(session.documents.upload(contextId, { fileName: 'c.txt', content })).rejects.toMatchObject(refusal)
    await expect(session.documents.checkRoom(contextId, 10)).rejects.toMatchObject(refusal)
    await engine.as(other.principal).documents.upload(await contextOf(other), { fileName: 'c.txt', content })
    for (const end of ends) end()
    await Promise.all(uploads)
    await session.documents.checkRoom(contextId, 10)
    expect(await session.documents.upload(contextId, { fileName: 'c.txt', content })).toMatch(/^[0-9a-f-]{36}$/)
  })
})
