import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MemoryTelemetry } from '../../../adapters/memory/index.js'
import { MemoryTracer } from '../../../adapters/memory/memory-tracer.js'
import type {
  ContextSettings,
  EngineOptions,
  HistoryMessage,
  Principal,
  SearchResult,
  Session,
} from '../../../src/index.js'
import { ModelError, type TelemetryEvent } from '../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'
import { HeldReranker, type RerankedCall, rightScores } from './held-reranker.js'

let memory: MemoryEngine
let reranker: HeldReranker
let session: Session
let telemetry: MemoryTelemetry

async function start(options: Partial<EngineOptions> = {}): Promise<void> {
  reranker = new HeldReranker()
  telemetry = new MemoryTelemetry({ tracer: new MemoryTracer() })
  memory = await memoryEngine({ reranker, telemetry, ...options })
  session = memory.session
}

beforeEach(async () => {
  await start()
})

afterEach(async () => {
  await memory.engine.close()
})

/** Fewer words beside those of the prompt make a chunk better by words and by meaning, so 1 is the best of them. */
function textOf(place: number): string {
  return `Parental leave, rule ${place}: ${'ask the office. '.repeat(place)}`
}

async function newContext(count: number, settings: ContextSettings = {}): Promise<number> {
  const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { scoreThreshold: 0, ...settings } })
  for (let place = 1; place <= count; place += 1) await uploadText(session, id, `${place}.txt`, textOf(place))
  return id
}

const PROMPT = 'parental leave'

function rulesOf(results: readonly { readonly content: string }[]): number[] {
  return results.map(({ content }) => Number(/rule (\d+)/.exec(content)?.[1]))
}

function failures(): TelemetryEvent[] {
  return telemetry.events.filter(({ name }) => name === 'search.rerank.failed')
}

/** The result of the same engine without its reranker. */
async function withoutReranker<T>(work: () => Promise<T>): Promise<T> {
  reranker.behave = () => Promise.reject(new ModelError('ERR_MODEL_REFUSED', 'no'))
  const result = await work()
  reranker.behave = undefined
  return result
}

describe('a search with a reranker', () => {
  it('has its order, its scores, and the similarities of before', async () => {
    const id = await newContext(6)
    const before = await withoutReranker(async () => await session.search(id, PROMPT, { topN: 6 }))
    const results = await session.search(id, PROMPT, { topN: 6 })
    expect(rulesOf(before)).toEqual([1, 2, 3, 4, 5, 6])
    expect(rulesOf(results)).toEqual([6, 5, 4, 3, 2, 1])
    const similarities = (some: readonly SearchResult[]) => some.map(({ similarity }) => similarity)
    expect(similarities(results)).toEqual(similarities(before).toReversed())
    expect(results.map(({ score }) => score)).toEqual([6, 5, 4, 3, 2, 1].map((given) => 1 / (1 + Math.exp(-given))))
    expect(results.map(({ match, source }) => [match, source])).toEqual(
      before.toReversed().map(({ match, source }) => [match, source]),
    )
  })

  it('keeps scores from 0 to 1 as they are, and the order of equal ones', async () => {
    const id = await newContext(4)
    reranker.behave = ({ hits }: RerankedCall) => hits.map(({ text }) => (text.includes('rule 3') ? 0.75 : 0.5))
    const results = await session.search(id, PROMPT, { topN: 4 })
    expect(rulesOf(results)).toEqual([3, 1, 2, 4])
    expect(results.map(({ score }) => score)).toEqual([0.75, 0.5, 0.5, 0.5])
  })

  it('keeps an order that scores of 0 to 1 could not tell', async () => {
    const id = await newContext(3)
    reranker.behave = (call: RerankedCall) => rightScores(call).map((score) => 100 + score)
    expect(rulesOf(await session.search(id, PROMPT))).toEqual([3, 2, 1])
  })

  it('lifts a hit into the first place that would not be among the results', async () => {
    const id = await newContext(30)
    expect(rulesOf(await session.search(id, PROMPT, { topN: 1 }))).toEqual([30])
    expect(reranker.calls[0]?.hits).toHaveLength(30)
  })

  it('gives the reranker the 50 best hits, or as many as it wants results', async () => {
    const id = await newContext(60)
    await session.search(id, PROMPT, { topN: 3 })
    await session.search(id, PROMPT, { topN: 57 })
    expect(reranker.calls.map(({ hits }) => hits.length)).toEqual([50, 57])
    expect(reranker.calls[0]?.prompt).toBe(PROMPT)
    expect(reranker.calls[0]?.hits[0]).toEqual({ name: '1.txt', headings: [], text: textOf(1).trim() })
  })

  it('gives it only what passes filter and threshold', async () => {
    const id = await newContext(3)
    await uploadText(session, id, 'other.txt', 'The harbour of rule 9 is closed.')
    const [first] = await session.documents.list(id, { limit: 1 })
    const uuid = first?.fileName ?? ''
    const [only] = await session.search(id, PROMPT, { filter: { documents: [first?.id ?? 0] } })
    expect([only?.source.uuid, reranker.calls[0]?.hits.length]).toEqual([uuid, 1])
    const results = await session.search(id, PROMPT, { scoreThreshold: 0.2, mode: 'semantic' })
    expect(rulesOf(results)).not.toContain(9)
    expect(results.every(({ similarity }) => similarity >= 0.2)).toBe(true)
    expect(reranker.calls[1]?.hits.every(({ text }) => text.startsWith('Parental'))).toBe(true)
  })

  it('does not ask it without hits', async () => {
    const id = await newContext(0)
    expect(await session.search(id, PROMPT)).toEqual([])
    expect(reranker.calls).toEqual([])
  })

  it('gives it a part of a long chunk, around the passage that matches, and headings', async () => {
    const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 1_000 } })
    const filler = 'Nothing of note happens here at all. '.repeat(90)
    await uploadText(session, id, 'long.md', `# Staff\n\n${filler}\nThe heron nests in reeds. 7\n${filler}`)
    await session.search(id, 'heron in reeds')
    const [hit] = reranker.calls[0]?.hits ?? []
    expect(hit?.text.length).toBe(2_000)
    expect(hit?.text).toContain('heron nests in reeds')
    expect(hit?.headings).toEqual(['Staff'])
  })

  it('gives it the beginning and the end of a very long prompt', async () => {
    const id = await newContext(1)
    await session.search(id, `${PROMPT} ${'please '.repeat(1_000)}office`)
    const prompt = reranker.calls[0]?.prompt ?? ''
    expect(prompt.length).toBe(4_000)
    expect([prompt.startsWith(PROMPT), prompt.endsWith(' office')]).toEqual([true, true])
  })

  it('gives it what a follow-up follows: the last message of the user', async () => {
    const [one, other] = [await newContext(1), await newContext(1)]
    const history: HistoryMessage[] = [
      { role: 'user', content: 'Hello!' },
      { role: 'user', content: 'Who gets parental leave?' },
      { role: 'assistant', content: 'All parents.' },
    ]
    const prompt = 'And what does the office rule?'
    await session.search(one, prompt, { history })
    await session.searchAll([one, other], prompt, { history })
    await session.explain(one, prompt, { history })
    await session.prepare(one, prompt, { history })
    const asked = reranker.calls.map((call) => call.prompt)
    expect(asked).toEqual(Array.from({ length: 4 }, () => `Who gets parental leave?\n${prompt}`))
    await session.prepare(one, prompt, { history, prompt: 'What does the office rule about parental leave?' })
    await session.search(one, prompt, { history: history.slice(2) })
    expect(reranker.calls.slice(4).map((call) => call.prompt)).toEqual([
      'What does the office rule about parental leave?',
      prompt,
    ])
  })

  it('shortens what a prompt follows to what is left of 4,000 characters, and never the prompt for it', async () => {
    const id = await newContext(1)
    const history: HistoryMessage[] = [{ role: 'user', content: `first ${'word '.repeat(1_000)}last` }]
    const long = `${PROMPT} ${'please '.repeat(500)}`
    for (const prompt of [PROMPT, long, `${long} ${long}`]) await session.search(id, prompt, { history })
    const [short, medium, whole] = reranker.calls.map((call) => call.prompt)
    expect([short?.length, medium?.length, whole?.length]).toEqual([4_000, 4_000, 4_000])
    for (const given of [short, medium]) expect(given).toMatch(/^first word [^]* word last\nparental leave/u)
    expect(medium?.endsWith(`\n${long}`)).toBe(true)
    expect(whole?.startsWith(PROMPT)).toBe(true)
  })

  it('orders the results of several contexts together, and the sources of a prompt', async () => {
    const [one, other] = [await newContext(3), await newContext(5)]
    const results = await session.searchAll([one, other], PROMPT, { topN: 4 })
    expect(results.map(({ contextId, content }) => [contextId, ...rulesOf([{ content }])])).toEqual([
      [other, 5],
      [other, 4],
      [one, 3],
      [other, 3],
    ])
    expect(reranker.calls.map(({ hits }) => hits.length)).toEqual([8])
    const { sources } = await session.prepare(other, PROMPT, { topN: 2 })
    // Its documents are in the order of their best windows.
    expect(new Set(rulesOf(sources))).toEqual(new Set([4, 5]))
  })

  it('streams results that are large', async () => {
    const id = await newContext(0, { chunkSizeTokens: 1_000 })
    const filler = 'leave '.repeat(9_000)
    for (const place of [1, 2, 3]) await uploadText(session, id, `${place}.txt`, `rule ${place} parental ${filler}`)
    reranker.behave = (call: RerankedCall) => call.hits.map(({ name }) => Number.parseInt(name, 10))
    const found = await session.searchEntries(id, PROMPT, { topN: 100, collapse: false })
    expect(Symbol.asyncIterator in found).toBe(true)
    const names: string[] = []
    for await (const { source, ...result } of found) {
      names.push(source.displayName)
      expect(result).not.toHaveProperty('contextId')
    }
    expect(names.length).toBeGreaterThan(6)
    expect(names).toEqual(names.toSorted().toReversed())
  })

  it('refuses what a search without one refuses', async () => {
    const id = await newContext(0)
    await expect(session.search(0, PROMPT)).rejects.toThrow('contextId: ')
    await expect(session.search(999, PROMPT)).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
    await expect(session.search(id, ' ')).rejects.toThrow('prompt: must not be empty')
  })

  it('is one span with its mode, and one of the reranker', async () => {
    const id = await newContext(2)
    await session.search(id, PROMPT, { mode: 'keyword' })
    const spans = telemetry.tracer?.spans ?? []
    expect(spans.find(({ name }) => name === 'alcove.search')).toMatchObject({
      labels: { 'alcove.search.kind': 'one', 'alcove.search.mode': 'keyword' },
      attributes: { 'alcove.context.id': id },
    })
    expect(spans.find(({ name }) => name === 'alcove.search.rerank')).toMatchObject({
      labels: { 'alcove.model.id': 'held' },
      attributes: { 'alcove.search.hits': 2 },
      errorType: null,
    })
  })

  it('ends with the engine, which closes the reranker', async () => {
    await memory.engine.close()
    expect(reranker.isClosed).toBe(true)
  })
})

describe('a reranker that fails', () => {
  it.each<[string, (call: RerankedCall) => unknown, string]>([
    [
      'rejects',
      () => Promise.reject(new ModelError('ERR_MODEL_UNAVAILABLE', 'http://10.0.0.1')),
      'ERR_MODEL_UNAVAILABLE',
    ],
    ['throws', () => Promise.reject(new TypeError('secret')), 'TypeError'],
    ['gives fewer scores', (call) => rightScores(call).slice(1), 'ERR_MODEL_UNSUPPORTED'],
    ['gives more scores', (call) => [...rightScores(call), 1], 'ERR_MODEL_UNSUPPORTED'],
    ['gives NaN', (call) => rightScores(call).with(0, Number.NaN), 'ERR_MODEL_UNSUPPORTED'],
    ['gives holes', () => new Array<number>(3), 'ERR_MODEL_UNSUPPORTED'],
    ['gives no list', () => ({ length: 3 }), 'ERR_MODEL_UNSUPPORTED'],
  ])('keeps the order of before if it %s', async (_, behave, type) => {
    const id = await newContext(3)
    reranker.behave = behave
    const results = await session.search(id, PROMPT)
    expect(rulesOf(results)).toEqual([1, 2, 3])
    expect(results.every(({ score }) => score < 1 && score > 0)).toBe(true)
    const [event] = failures()
    expect(event).toMatchObject({ level: 'warn', fields: { reranker: 'held', hits: 3, isLate: false, failures: 1 } })
    expect(event?.error).toMatchObject({ [type.startsWith('ERR') ? 'code' : 'name']: type })
    const { reranking, hits } = await session.explain(id, PROMPT)
    expect(reranking).toEqual({
      id: 'held',
      chunks: 3,
      problem: `The reranker held failed (${type}): the order is that of before.`,
    })
    expect(hits.map(({ beforeReranking }) => beforeReranking)).toEqual([null, null, null])
  })

  it('keeps the order of before after 2 s, also if the reranker ignores its signal', async () => {
    const id = await newContext(3)
    let signal: AbortSignal | undefined
    reranker.behave = (call) => {
      signal = call.signal
      return new Promise(() => undefined)
    }
    const startedAt = performance.now()
    expect(rulesOf(await session.search(id, PROMPT))).toEqual([1, 2, 3])
    const ms = performance.now() - startedAt
    expect(ms).toBeGreaterThan(1_900)
    expect(ms).toBeLessThan(3_500)
    expect(signal?.aborted).toBe(true)
    expect(failures()[0]?.error).toMatchObject({ name: 'TimeoutError' })
  })

  it('is not asked for some seconds after three failures', async () => {
    const id = await newContext(2)
    reranker.behave = () => []
    for (let search = 0; search < 5; search += 1) await session.search(id, PROMPT)
    expect([reranker.calls.length, failures().length]).toEqual([3, 3])
    const { reranking } = await session.explain(id, PROMPT)
    expect(reranking?.problem).toContain('is not asked for some seconds')
    reranker.behave = undefined
    expect(rulesOf(await session.search(id, PROMPT))).toEqual([1, 2])
  })

  it('has the pause that its server wishes', async () => {
    const id = await newContext(2)
    const busy = new ModelError('ERR_MODEL_UNAVAILABLE', 'busy', { retryAfterMs: 30_000 })
    reranker.behave = () => Promise.reject(busy)
    await session.search(id, PROMPT)
    await session.search(id, PROMPT)
    expect([reranker.calls.length, failures().length]).toEqual([1, 1])
  })

  it('is no failure of the reranker if the caller aborts', async () => {
    const id = await newContext(2)
    const controller = new AbortController()
    let isAborted = false
    reranker.behave = async ({ signal }) => {
      controller.abort(new Error('enough'))
      isAborted = signal?.aborted === true
      return await new Promise(() => undefined)
    }
    await expect(session.search(id, PROMPT, { signal: controller.signal })).rejects.toThrow('enough')
    expect([isAborted, failures()]).toEqual([true, []])
  })
})

describe('what changes while the reranker works', () => {
  it('is checked before texts leave: a context that the caller may no longer read', async () => {
    const { administration, owner } = memory.engine
    const id = await newContext(2)
    await session.contexts.share(id, { shareState: 1 })
    const { id: userId } = await administration.users.add({ email: 'bo@example.com', companyId: owner.companyId })
    const [role] = (await administration.roles.list()).filter(({ capabilities }) => capabilities.includes('search'))
    for (const permission of await administration.permissions.list()) {
      if (permission.userIdentityId === userId) await administration.permissions.revoke(permission.id)
    }
    const { accountId } = owner
    const granted = await administration.permissions.grant({
      ...{ appAccountId: accountId, appRoleId: role?.id ?? 0, userIdentityId: userId },
    })
    const principal: Principal = { companyId: owner.companyId, userId, accountId }
    const reader = memory.engine.as(principal)
    expect(await reader.search(id, PROMPT)).toHaveLength(2)
    const revokeMeanwhile = async (call: RerankedCall) => {
      await administration.permissions.revoke(granted.id)
      return rightScores(call)
    }
    reranker.behave = revokeMeanwhile
    await expect(reader.search(id, PROMPT)).rejects.toMatchObject({ code: 'ERR_FORBIDDEN' })
  })

  it('is a deleted document, which is no result', async () => {
    const id = await newContext(4)
    reranker.behave = async (call) => {
      const best = (await session.documents.list(id)).find(({ displayName }) => displayName === '4.txt')
      if (best !== undefined) await session.documents.delete(best.fileName)
      return rightScores(call)
    }
    expect(rulesOf(await session.search(id, PROMPT, { topN: 2 }))).toEqual([3, 2])
    expect(
      rulesOf((await session.explain(id, PROMPT, { topN: 2 })).hits.map(({ passage }) => ({ content: passage }))),
    ).not.toContain(4)
  })

  it('is a replaced document, whose new version is found', async () => {
    const id = await newContext(2)
    let uuid = (await session.documents.list(id)).find(({ displayName }) => displayName === '2.txt')?.fileName ?? ''
    let isReplaced = false
    reranker.behave = async (call) => {
      if (!isReplaced) {
        isReplaced = true
        uuid = await session.documents.replace(uuid, { content: 'Parental leave, rule 2: of the new edition.' })
        await session.documents.whenProcessed(uuid)
        await memory.engine.whenCleared()
      }
      return rightScores(call)
    }
    const results = await session.search(id, PROMPT)
    expect(results.map(({ source }) => source.displayName)).toEqual(['2.txt', '1.txt'])
    expect(results[0]?.content).toContain('new edition')
  })
})

describe('an explanation', () => {
  it('has the order of the reranker, and the places of before', async () => {
    const id = await newContext(4)
    const { hits, reranking } = await session.explain(id, PROMPT, { topN: 3 })
    expect(hits.map(({ source, beforeReranking }) => [source.displayName, beforeReranking?.rank])).toEqual([
      ['4.txt', 4],
      ['3.txt', 3],
      ['2.txt', 2],
    ])
    expect(hits[0]?.score).toBe(1 / (1 + Math.exp(-4)))
    expect(hits[0]?.beforeReranking?.score).toBeLessThan(hits[0]?.score ?? 0)
    expect(reranking).toEqual({ id: 'held', chunks: 4, problem: null })
  })

  it('says that there is no reranker', async () => {
    await memory.engine.close()
    memory = await memoryEngine()
    session = memory.session
    const { hits, reranking } = await session.explain(await newContext(2), PROMPT)
    expect(hits.map(({ beforeReranking }) => beforeReranking)).toEqual([null, null])
    expect(reranking).toBeNull()
  })
})
