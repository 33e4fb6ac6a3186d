import { afterEach, describe, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../../adapters/memory/index.js'
import { WordTokenizer } from '../../../../adapters/memory/memory-embedding-model.js'
import type {
  ContextSettings,
  EngineOptions,
  ReasonCode,
  SearchExplanation,
  SearchOptions,
  Session,
} from '../../../../src/index.js'
import type { DocumentRecord, Encoding, Tokenizer } from '../../../../src/ports/index.js'
import { type MemoryEngine, memoryEngine, NEW_CONTEXT, uploadText } from '../../engine/memory-engine.js'

let memory: MemoryEngine
let session: Session

async function start(overrides: Partial<EngineOptions> = {}): Promise<void> {
  memory = await memoryEngine(overrides)
  session = memory.session
}

afterEach(async () => {
  await memory.engine.close()
})

const LEAVE = ['Parental leave takes eighteen weeks.', 'Unpaid leave needs a form.']

async function newContext(texts: readonly string[] = LEAVE, settings: ContextSettings = {}): Promise<number> {
  const { id } = await session.contexts.create({ ...NEW_CONTEXT, settings })
  for (const [at, text] of texts.entries()) await uploadText(session, id, `${at}.txt`, text)
  return id
}

/** Sets all documents of a context back to an earlier state. */
async function setBack(contextId: number, changes: Partial<Pick<DocumentRecord, 'completed' | 'wordsVersion'>>) {
  const ids = (await session.documents.list(contextId)).map(({ id }) => id)
  await memory.storage.transaction(async ({ documents }) => {
    for (const id of ids) await documents.update(id, changes)
  })
}

interface Cause {
  readonly code: ReasonCode
  /** A part of the sentence. */
  readonly says: string
  /** The code of the error of the search. Default: its answer is empty. */
  readonly searchError?: string
  readonly prompt?: string
  readonly options?: SearchOptions
  readonly engine?: Partial<EngineOptions>
  /** Seeds the cause. @returns the context to search */
  readonly seed: () => Promise<number>
}

/** Knows Latin letters only, as the vocabulary of an English model does. */
class LatinTokenizer extends WordTokenizer implements Tokenizer {
  readonly unknownId = 0

  override encode(text: string): Encoding {
    const encoding = super.encode(text)
    const ids = encoding.ids.map((id, at) =>
      /^[ -~]*$/.test(text.slice(encoding.starts[at], encoding.ends[at])) ? id : 0,
    )
    return { ...encoding, ids }
  }
}

class LatinModel extends MemoryEmbeddingModel {
  override async tokenizer(): Promise<Tokenizer> {
    return new LatinTokenizer()
  }
}

const CAUSES: readonly Cause[] = [
  { code: 'no-documents', says: 'has no documents', seed: async () => await newContext([]) },
  {
    code: 'all-failed',
    says: 'failed (2)',
    seed: async () => {
      const id = await newContext([])
      for (const fileName of ['a.txt', 'b.txt']) await uploadText(session, id, fileName, '\n').catch(() => undefined)
      return id
    },
  },
  {
    code: 'still-processing',
    says: '(2 of 2)',
    seed: async () => {
      const id = await newContext()
      await setBack(id, { completed: null, wordsVersion: null })
      return id
    },
  },
  {
    code: 'early-finding-off',
    says: 'findsEarly',
    seed: async () => {
      const id = await newContext(LEAVE, { findsEarly: false })
      await setBack(id, { completed: null })
      return id
    },
  },
  {
    code: 'words-only-yet',
    says: 'Only words find',
    options: { mode: 'semantic' },
    seed: async () => {
      const id = await newContext()
      await setBack(id, { completed: null })
      return id
    },
  },
  {
    code: 'words-not-indexed',
    says: 'not indexed yet (2)',
    options: { mode: 'keyword' },
    seed: async () => {
      const id = await newContext()
      await setBack(id, { wordsVersion: null })
      return id
    },
  },
  {
    code: 'only-question-words',
    says: 'say nothing',
    prompt: 'What is it?',
    options: { mode: 'keyword' },
    seed: async () => await newContext(),
  },
  {
    code: 'words-not-found',
    says: 'No document has a word',
    prompt: 'zebra crossing',
    options: { mode: 'keyword' },
    seed: async () => await newContext(),
  },
  {
    code: 'other-context',
    says: '(Pumps)',
    prompt: 'Which gasket?',
    options: { mode: 'keyword' },
    seed: async () => {
      const pumps = await newContext(['The pump needs a gasket.'])
      await session.contexts.update(pumps, { ...NEW_CONTEXT, name: 'Pumps' })
      return await newContext()
    },
  },
  {
    code: 'threshold-too-high',
    says: 'below the scoreThreshold 0.95',
    options: { scoreThreshold: 0.95 },
    seed: async () => await newContext(),
  },
  {
    code: 'threshold-too-high',
    says: 'below the scoreThreshold 0.95',
    options: { mode: 'keyword', scoreThreshold: 0.95 },
    seed: async () => await newContext(),
  },
  {
    code: 'language-unknown',
    says: 'knows little of the language',
    prompt: 'Сколько длится отпуск?',
    options: { mode: 'semantic', scoreThreshold: 0.95 },
    engine: { embeddingModels: [new LatinModel()] },
    seed: async () => await newContext(),
  },
  {
    code: 'prompt-without-words',
    says: 'has no word',
    prompt: '???',
    options: { mode: 'keyword', scoreThreshold: 0.95 },
    seed: async () => await newContext(),
  },
  {
    code: 'vectors-missing',
    says: 'alcove doctor',
    searchError: 'ERR_VECTORS_DAMAGED',
    options: { mode: 'semantic' },
    seed: async () => {
      const id = await newContext()
      for (const name of await memory.vectorIndex.listCollections()) await memory.vectorIndex.drop(name)
      return id
    },
  },
]

describe('an explanation of a search', () => {
  it.each(CAUSES)('names the cause of an empty answer: $code $options', async (cause) => {
    await start(cause.engine)
    const { code, says, prompt = 'parental leave', options } = cause
    const id = await cause.seed()
    const searching = session.search(id, prompt, options)
    if (cause.searchError === undefined) expect(await searching).toEqual([])
    else await expect(searching).rejects.toMatchObject({ code: cause.searchError })
    const { hits, reasons } = await session.explain(id, prompt, options)
    expect(hits).toEqual([])
    expect(reasons[0]).toMatchObject({ code, message: expect.stringContaining(says) as string })
    for (const { message } of reasons) expect(message).toMatch(/^[A-Z][^\n]*\.$/)
  })

  it('says that the model of the context cannot be used', async () => {
    await start()
    const id = await newContext()
    await memory.storage.transaction(({ contexts }) => contexts.update(id, { embeddingModel: 'gone' }))
    await expect(session.search(id, 'leave')).rejects.toMatchObject({ code: 'ERR_MODEL_UNKNOWN' })
    const { model, hits, reasons, documents } = await session.explain(id, 'leave')
    expect([model, hits, documents.searchable]).toEqual([{ id: 'gone', knowledge: null }, [], 2])
    expect(reasons[0]).toMatchObject({ code: 'model-unavailable', message: expect.stringContaining('gone') as string })
  })

  it('names a filter that matches nothing', async () => {
    await start()
    const id = await newContext()
    const filter = { metadata: { year: 1999 } }
    expect(await session.search(id, 'leave', { filter })).toEqual([])
    const { documents, reasons } = await session.explain(id, 'leave', { filter })
    expect(documents).toMatchObject({ searchable: 2, filtered: 0 })
    expect(reasons.map(({ code }) => code)).toEqual(['filter-excludes-all'])
  })

  it('finds what the search finds, with the ranks and scores of both sides', async () => {
    await start()
    const id = await newContext([...LEAVE, 'The canteen opens at eleven.'])
    const expected = await session.search(id, 'How long is parental leave?', { topN: 3 })
    const explanation = await session.explain(id, 'How long is parental leave?', { topN: 3 })
    expect(explanation).toMatchObject({
      contextId: id,
      mode: 'hybrid',
      topN: 3,
      scoreThreshold: 0,
      model: { id: 'memory', knowledge: 1 },
      bestSimilarity: Math.max(...expected.map(({ similarity }) => similarity)),
      reasons: [],
      documents: {
        total: 3,
        searchable: 3,
        waiting: 0,
        foundByWordsOnly: 0,
        failed: 0,
        withoutWords: 0,
        filtered: null,
      },
    })
    expect(
      explanation.words.map(({ word, isQuestionWord, documents, chunks }) => [word, isQuestionWord, documents, chunks]),
    ).toEqual([
      ['How', true, 0, 0],
      ['long', false, 0, 0],
      ['is', true, 0, 0],
      ['parental', false, 1, 1],
      ['leave', false, 2, 2],
    ])
    const { hits } = explanation
    expect(hits.map((hit) => [hit.id, hit.docId, hit.similarity, hit.score])).toEqual(
      expected.map((hit) => [hit.id, hit.docId, hit.similarity, hit.score]),
    )
    expect(hits.map(({ words }) => words.rank)).toEqual([1, 2, null])
    expect(hits.map(({ words }) => words.score > 0)).toEqual([true, true, false])
    expect(hits.map(({ meaning }) => meaning.rank).sort()).toEqual([1, 2, 3])
    expect(hits[0]?.passage).toBe('Parental leave takes eighteen weeks.')
    expect(hits.every((hit) => !('content' in hit))).toBe(true)
  })

  it('counts no words of documents that words do not find', async () => {
    await start()
    const id = await newContext(['Parental leave takes eighteen weeks.', 'A secret zebra.'])
    const zebras = async (): Promise<unknown> =>
      (await session.explain(id, 'zebra')).words.map(({ documents, chunks }) => [documents, chunks])
    expect(await zebras()).toEqual([[1, 1]])
    await session.documents.delete({ contextId: id, id: 2 })
    expect(await zebras()).toEqual([[0, 0]])
  })

  it('names no context that the caller may not read', async () => {
    await start()
    const { administration, owner } = memory.engine
    await newContext(['A secret zebra.'])
    const company = await administration.companies.create({ name: 'Other', parentId: 1 })
    const key = await administration.apiKeys.create({ companyId: company.id })
    const account = (await administration.accounts.list()).find(
      ({ customerId, application }) => customerId === company.id && application === 'assistant',
    )
    const principal = { ...owner, companyId: company.id, accountId: account?.id ?? 0, userId: key.userId }
    const other = memory.engine.as(principal)
    const { id } = await other.contexts.create(NEW_CONTEXT)
    const explanation: SearchExplanation = await other.explain(id, 'zebra')
    expect(explanation.reasons.map(({ code }) => code)).toEqual(['no-documents'])
    await expect(other.explain(1, 'zebra')).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
  })

  it('checks its input as a search, counts as a search, and ends with an abort', async () => {
    await start({ limits: { searchesPerKey: 1 } })
    const id = await newContext()
    await expect(session.explain(id, ' ')).rejects.toMatchObject({ code: 'ERR_INVALID_INPUT', field: 'prompt' })
    await expect(session.explain(id, 'x', { topN: 0 })).rejects.toMatchObject({ field: 'topN' })
    await expect(session.explain(999, 'x')).rejects.toMatchObject({ code: 'ERR_CONTEXT_NOT_FOUND' })
    const running = session.explain(id, 'leave')
    await expect(session.search(id, 'leave')).rejects.toMatchObject({ code: 'ERR_THROTTLED' })
    expect((await running).hits).toHaveLength(2)
    const signal = AbortSignal.abort(new Error('no longer wanted'))
    await expect(session.explain(id, 'leave', { signal })).rejects.toThrow('no longer wanted')
  })
})
