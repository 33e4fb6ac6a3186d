import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  addModel,
  type EvaluationOptions,
  type EvaluationPlan,
  type EvaluationProgress,
  type EvaluationQuestion,
  evaluateSettings,
  type LocalEngineOptions,
  openLocalEngine,
} from '../../../../adapters/local/index.js'
import { MemoryEmbeddingModel } from '../../../../adapters/memory/index.js'
import type { Engine, Session } from '../../../../src/index.js'
import { writeTinyModel } from '../../../fixtures/tiny-models.js'
import { NEW_CONTEXT } from '../../../src/engine/memory-engine.js'
import { DATABASES } from '../../../src/outbox/database.js'
import { temporaryFolder } from '../../../temporary-folder.js'

/** A text of sentences with words of their own. */
function textAbout(thing: string, sentences: number): string {
  return Array.from(
    { length: sentences },
    (_, index) => `Rule ${thing}${index} says that ${thing} ${index} is kept.`,
  ).join(' ')
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let engine: Engine
let session: Session
let contextId: number
let options: LocalEngineOptions

const QUESTIONS: readonly EvaluationQuestion[] = [
  { question: 'lamp3', document: 'lamp.txt' },
  { question: 'chair7', document: 'chair.txt', passage: 'rule CHAIR7 says' },
]

async function fill(): Promise<void> {
  for (const thing of ['lamp', 'chair', 'table']) {
    const content = textAbout(thing, 40)
    const uuid = await session.documents.upload(contextId, { fileName: `${thing}.txt`, content, metadata: { thing } })
    await session.documents.whenProcessed(uuid)
  }
}

async function leftFolders(): Promise<string[]> {
  return (await readdir(folder.path)).filter((name) => name.startsWith('alcove.evaluation-'))
}

const evaluate = async (questions: readonly EvaluationQuestion[] = QUESTIONS, more: EvaluationOptions = {}) =>
  await evaluateSettings(session, contextId, questions, { engine: options, ...more })

describe('an evaluation of settings', () => {
  beforeAll(async () => {
    folder = await temporaryFolder()
    options = { dataDir: folder.path, embeddingModels: [new MemoryEmbeddingModel()] }
    engine = await openLocalEngine(options)
    session = engine.as(engine.owner)
    const settings = { chunkSizeTokens: 200, topN: 3 }
    contextId = (await session.contexts.create({ ...NEW_CONTEXT, settings })).id
    await fill()
  })

  afterAll(async () => {
    await engine.close()
    await folder.remove()
  })

  it('compares all modes of the context if nothing else is named, and makes no copy', async () => {
    const plans: EvaluationPlan[] = []
    const { settings, ...rest } = await evaluateSettings(session, contextId, QUESTIONS, {
      onStart: (plan) => plans.push(plan),
    })
    expect(rest).toEqual({ contextId, topN: 3, questions: 2 })
    expect(settings.map(({ mode, isPresent }) => [mode, isPresent])).toEqual([
      ['hybrid', true],
      ['semantic', false],
      ['keyword', false],
    ])
    expect(settings[0]).toMatchObject({ documents: 3, recall: 1, change: null, chunkSizeTokens: 200 })
    expect(settings[2]).toMatchObject({ recall: 1, hitAt1: 1, mrr: 1, ndcg: 1 })
    expect(plans).toMatchObject([{ settings: 3, copies: 0, neededBytes: 0, freeBytes: null, leftOut: 0 }])
  })

  it('measures each chunk size in a copy that is gone afterwards, and leaves the context as it is', async () => {
    const before = await session.documents.list(contextId)
    const [plans, progress, during]: [EvaluationPlan[], EvaluationProgress[], string[][]] = [[], [], []]
    const { settings } = await evaluate(QUESTIONS, {
      chunkSizesTokens: [200, 40],
      overlaps: [0.2, 0],
      modes: ['keyword', 'hybrid'],
      onStart: (plan) => plans.push(plan),
      onProgress: (each) => progress.push(each),
      onSettings: () => {
        void leftFolders().then((names) => during.push(names))
      },
    })
    expect(settings.map(({ mode, chunkSizeTokens, overlap }) => [mode, chunkSizeTokens, overlap])).toEqual([
      ['hybrid', 200, 0.2],
      ['keyword', 200, 0.2],
      ['keyword', 200, 0],
      ['hybrid', 200, 0],
      ['keyword', 40, 0.2],
      ['hybrid', 40, 0.2],
      ['keyword', 40, 0],
      ['hybrid', 40, 0],
    ])
    const chunks = before.reduce((sum, document) => sum + document.chunks, 0)
    expect(settings[0]?.chunks).toBe(chunks)
    expect(settings[4]?.chunks).toBeGreaterThan(chunks * 2)
    for (const { documents, recall, p50Ms, characters } of settings) {
      expect({ documents, recall }).toEqual({ documents: 3, recall: 1 })
      expect(p50Ms).toBeGreaterThan(0)
      expect(characters).toBeGreaterThan(0)
    }
    expect(settings[4]?.characters).toBeLessThan((settings[0]?.characters ?? 0) / 2)
    // Two questions cannot show a difference.
    expect(settings.slice(1).every(({ change }) => change?.isWithinChance)).toBe(true)
    expect(plans).toMatchObject([{ copies: 3, settings: 8, questions: 2, documents: 3 }])
    expect(plans[0]?.neededBytes).toBeGreaterThan(1_000_000)
    expect(progress.filter(({ work, done }) => work === 'documents' && done === 3)).toHaveLength(3)
    expect(during[0]).toHaveLength(1)
    expect(await leftFolders()).toEqual([])
    expect(await session.documents.list(contextId)).toEqual(before)
    expect(await session.contexts.list()).toHaveLength(1)
    // The host's model still works.
    expect(await session.search(contextId, 'lamp3', { mode: 'semantic' })).not.toEqual([])
  })

  it('joins rows with the same question, and counts each of their answers', async () => {
    const both = ['lamp', 'chair'].map((thing) => ({ question: 'rule', document: `${thing}.txt` }))
    const { questions, settings } = await evaluate([...both, ...both], { topN: 1, modes: ['keyword'] })
    expect(questions).toBe(1)
    expect(settings[1]?.recall).toBeLessThanOrEqual(0.5)
  })

  it('finds a document by its id and UUID too', async () => {
    const [lamp] = await session.documents.list(contextId)
    for (const document of [String(lamp?.id), lamp?.uuid ?? '']) {
      const { settings } = await evaluate([{ question: 'lamp3', document }])
      expect(settings[2]).toMatchObject({ mode: 'keyword', hitAt1: 1 })
    }
  })

  it.each<{ question: Partial<EvaluationQuestion>; message: string }>([
    {
      question: { document: 'sofa.txt', line: 9 },
      message: 'line 9, column document: the context has no document "sofa.txt"',
    },
    { question: { document: '' }, message: 'questions[1].document: must be a text, not blank' },
    { question: { question: ' ' }, message: 'questions[1].question: must be a text of at most 32768 characters' },
    {
      question: { passage: 'lamp 3 is sold', line: 4 },
      message: 'line 4, column passage: lamp.txt does not have this text',
    },
  ])('refuses $question and measures nothing', async ({ question, message }) => {
    const started: EvaluationPlan[] = []
    const onStart = (plan: EvaluationPlan): number => started.push(plan)
    const refused = evaluate([...QUESTIONS.slice(0, 1), { question: 'lamp3', document: 'lamp.txt', ...question }], {
      chunkSizesTokens: [40],
      onStart,
    })
    await expect(refused).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message: expect.stringContaining(message) as string,
    })
    expect(started).toEqual([])
    expect(await leftFolders()).toEqual([])
  })

  it.each<{ more: EvaluationOptions; message: string }>([
    { more: { chunkSizesTokens: [16, 40, 1], modes: ['keyword'] }, message: 'settings.chunkSizeTokens' },
    { more: { embeddingModels: ['none'] }, message: 'no model named none' },
    { more: { overlaps: [1] }, message: 'settings.overlap' },
    { more: { chunkSizesTokens: [] }, message: 'chunkSizesTokens: must be a list with at least one number' },
    { more: { modes: ['fast' as 'keyword'] }, message: 'modes: unknown mode "fast"' },
    { more: { topN: 101 }, message: 'topN' },
    { more: { chunkSizesTokens: [40], engine: undefined }, message: 'engine: must be the options of openLocalEngine' },
    {
      more: { overlaps: Array.from({ length: 26 }, (_, index) => index / 100) },
      message: 'make 25 combinations: compare at most 24 in one run',
    },
    { more: { chunks: 5 } as EvaluationOptions, message: 'unknown option "chunks"' },
  ])('refuses $more before it measures anything', async ({ more, message }) => {
    const started: EvaluationPlan[] = []
    await expect(evaluate(QUESTIONS, { ...more, onStart: (plan) => started.push(plan) })).rejects.toThrow(message)
    expect(started).toEqual([])
    expect(await leftFolders()).toEqual([])
  })

  it('says how much disk space is needed if there is too little', async () => {
    const { requireSpace } = await import('../../../../adapters/tools/evaluation/disk-space.js')
    await expect(requireSpace(folder.path, 1e18)).rejects.toMatchObject({
      code: 'ERR_STORAGE_FULL',
      message: expect.stringContaining('needs about 1000000000000 MB') as string,
    })
  })

  it('ends with the reason of its signal, and removes its copy', async () => {
    const abort = new AbortController()
    const reason = new Error('enough')
    const ended = evaluate(QUESTIONS, {
      chunkSizesTokens: [40],
      signal: abort.signal,
      onProgress: ({ work }) => {
        if (work === 'documents') abort.abort(reason)
      },
    })
    await expect(ended).rejects.toBe(reason)
    expect(await leftFolders()).toEqual([])
  })
})

describe('an evaluation of another model', () => {
  it('has the models that were added to the data folder', async () => {
    folder = await temporaryFolder()
    const dataDir = join(folder.path, 'data')
    await writeTinyModel(join(folder.path, 'bpe'), 'bpe')
    await addModel({ dataDir, folder: join(folder.path, 'bpe') })
    options = { dataDir }
    engine = await openLocalEngine(options)
    session = engine.as(engine.owner)
    contextId = (await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 200 } })).id
    await fill()
    const { settings } = await evaluate(QUESTIONS, { embeddingModels: ['bpe'], modes: ['semantic', 'keyword'] })
    expect(settings.map(({ embeddingModel, mode, documents }) => [embeddingModel, mode, documents])).toEqual([
      ['all-MiniLM-L6-v2', 'hybrid', 3],
      ['bpe', 'semantic', 3],
      ['bpe', 'keyword', 3],
    ])
    expect(settings[2]?.recall).toBe(1)
    expect(await leftFolders()).toEqual([])
    await engine.close()
    await folder.remove()
  })
})

const POSTGRES = DATABASES.filter(({ name }) => name === 'PostgreSQL')

describe.each(POSTGRES)('an evaluation of a context on $name', ({ openEmpty }) => {
  let database: Awaited<ReturnType<typeof openEmpty>>

  beforeEach(async () => {
    folder = await temporaryFolder()
    database = await openEmpty()
    options = {
      dataDir: join(folder.path),
      databaseUrl: database.address,
      embeddingModels: [new MemoryEmbeddingModel()],
    }
    engine = await openLocalEngine(options)
    session = engine.as(engine.owner)
    contextId = (await session.contexts.create({ ...NEW_CONTEXT, settings: { chunkSizeTokens: 200 } })).id
    await fill()
  })

  afterEach(async () => {
    await engine.close()
    await database.dispose()
    await folder.remove()
  })

  it('makes its copies in the data folder, which another process that starts leaves alone', async () => {
    let other: Promise<Engine> | undefined
    let during: readonly string[] = []
    const { settings } = await evaluate(QUESTIONS, {
      chunkSizesTokens: [40],
      modes: ['hybrid', 'keyword'],
      onProgress: ({ work }) => {
        if (work === 'documents')
          other ??= openLocalEngine({ ...options, embeddingModels: [new MemoryEmbeddingModel()] })
      },
      onSettings: ({ isPresent }) => {
        if (!isPresent) void leftFolders().then((names) => (during = names))
      },
    })
    const second = await other
    const otherSession = second?.as(second.owner)
    expect(await otherSession?.contexts.list()).toHaveLength(1)
    expect(settings.map(({ chunkSizeTokens, mode, recall }) => [chunkSizeTokens, mode, recall])).toEqual([
      [200, 'hybrid', 1],
      [40, 'hybrid', 1],
      [40, 'keyword', 1],
    ])
    expect(during).toHaveLength(1)
    expect(await leftFolders()).toEqual([])
    await second?.close()
  })
})
