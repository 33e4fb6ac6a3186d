import { cp, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import { SqliteLexicalIndex } from '../../../adapters/words/index.js'
import { ANALYZER_VERSION } from '../../../src/analysis/index.js'
import { wordCollectionOf } from '../../../src/documents/collections.js'
import { type Problem, StorageError, type VerifyProgress } from '../../../src/index.js'
import type { LexicalIndex } from '../../../src/ports/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import {
  codes,
  type DoctorFolder,
  examine,
  fileOf,
  fill,
  find,
  findAll,
  firstByWords,
  LEAVE,
  open,
  repair,
  sql,
  told,
  WORDS,
  withEngine,
  words,
} from './doctor-folder.js'

const SHELF = 'Shelf 33 holds jar number 231'
const WITH_SHELF = expect.stringContaining(SHELF) as string
const BY_WORDS = { mode: 'keyword' } as const

let original: DoctorFolder
let originals: Awaited<ReturnType<typeof temporaryFolder>>
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string
let long: string

beforeAll(async () => {
  originals = await temporaryFolder()
  original = await fill(join(originals.path, 'data'))
})

afterAll(async () => {
  await originals.remove()
})

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
  await cp(original.dataDir, dataDir, { recursive: true })
  ;[long] = original.uuids
})

afterEach(async () => {
  vi.restoreAllMocks()
  await folder.remove()
})

async function expectSound(): Promise<void> {
  expect((await examine(dataDir)).problems).toEqual([])
  const found = await findAll(dataDir, { byMeaning: [SHELF], byWords: [SHELF, LEAVE] })
  expect(found).toEqual({ byMeaning: [WITH_SHELF], byWords: [WITH_SHELF, expect.stringContaining('eighteen weeks')] })
}

/** Expects a repair that fixes every problem without a second processing; the documents are then found by words. */
async function expectMended(expected: readonly Problem['code'][]): Promise<void> {
  const before = await examine(dataDir)
  expect(codes(before)).toEqual(expected)
  expect(before.problems.map(({ isRepairable, isRepaired }) => [isRepairable, isRepaired])).toEqual(
    expected.map(() => [true, false]),
  )
  const processed: string[] = []
  const after = await withEngine(dataDir, { isSweeping: false }, async (engine) => {
    engine.on('document.completed', ({ fileName }) => processed.push(fileName))
    return await engine.administration.verify({ repair: true })
  })
  expect(after.problems).toEqual(before.problems.map((problem) => ({ ...problem, isRepaired: true })))
  expect(after.isHealthy).toBe(true)
  expect(processed).toEqual([])
  await expectSound()
}

/** The words of another text, as many rows as requested. */
function wordRows(documentId: number, rows: number) {
  return {
    documentId,
    chunks: Array.from({ length: rows }, (_, at) => at),
    terms: Array.from({ length: rows }, () => ['ferry', 'nine']),
  }
}

describe('the repair of a document’s words', () => {
  // W47
  it('indexes them after all or some of them are lost, without a second processing', async () => {
    await words(dataDir, async (index) => {
      await index.deleteDocument(WORDS, 1, 5)
      await index.deleteDocument(WORDS, 2, 0)
    })
    expect(await find(dataDir, LEAVE, BY_WORDS)).toBeUndefined()
    const { problems } = await examine(dataDir)
    expect(problems[0]?.message).toMatch(/^Document .* \(shelves\.txt\) has \d+ chunks, but the word index has 5\.$/)
    await expectMended(['words-missing', 'words-missing'])
  })

  // W47
  it('indexes them after their folder is lost', async () => {
    await rm(join(dataDir, 'words'), { recursive: true })
    await expectMended(['words-missing', 'words-missing', 'words-missing'])
  })

  // W48
  it('indexes them after those of chunks that the document does not have were stored', async () => {
    await words(dataDir, async (index) => await index.add(WORDS, { ...wordRows(1, 3), chunks: [900, 901, 902] }))
    await expectMended(['words-surplus'])
  })

  // W49
  it('indexes them after those of another text took their place', async () => {
    await words(dataDir, async (index) => {
      await index.deleteDocument(WORDS, 2, 0)
      await index.add(WORDS, wordRows(2, 1))
    })
    const { problems } = await examine(dataDir)
    expect(problems[0]?.message).toContain('is not found by the words of its chunk 0.')
    await expectMended(['words-missing'])
  })

  // W50
  it('indexes missing words even when the file and the model are missing too', async () => {
    await words(dataDir, async (index) => await index.deleteDocument(WORDS, 1, 0))
    await rm(fileOf(dataDir, long))
    const embeddingModels = [new MemoryEmbeddingModel({ id: 'another', fingerprint: 'another-1' })]
    const { problems } = await repair(dataDir, { embeddingModels })
    expect(problems.map(({ code, isRepaired }) => [code, isRepaired])).toEqual([
      ['file-missing', false],
      ['words-missing', true],
      ['model-unknown', false],
      ['model-unknown', false],
    ])
    expect(await find(dataDir, SHELF, BY_WORDS)).toContain(SHELF)
  })

  // W50
  it('processes the document a second time when its vectors are missing too', async () => {
    await words(dataDir, async (index) => await index.deleteDocument(WORDS, 1, 3))
    await rm(join(dataDir, 'vectors'), { recursive: true })
    const { problems } = await repair(dataDir)
    expect(new Set(problems.map(({ code }) => code))).toEqual(new Set(['vectors-missing', 'words-missing']))
    expect(problems.every(({ isRepaired }) => isRepaired)).toBe(true)
    await expectSound()
  })
})

describe('a collection of words', () => {
  // W51
  it.each<[string, (file: string) => Promise<void>, string]>([
    ['cut off', async (file) => await truncate(file, 5_000), 'words-unreadable'],
    ['overwritten', async (file) => await writeFile(file, Buffer.alloc(50_000, 7)), 'words-unreadable'],
    ['empty', async (file) => await truncate(file, 0), 'words-missing'],
    ['gone', async (file) => await rm(file), 'words-missing'],
  ])('is rebuilt when its file is %s', async (_what, damage, code) => {
    await damage(join(dataDir, 'words', `${WORDS}.sqlite`))
    expect(codes(await examine(dataDir))).toContain(code)
    expect(await repair(dataDir)).toMatchObject({ isHealthy: true })
    await expectSound()
  })

  // W52
  it.each<[string, Error, string]>([
    ['because the disk fails', new StorageError('the disk cannot read it', { isTransient: true }), 'the disk cannot'],
    ['for an unknown reason', new TypeError('x is not a function'), 'the word index failed'],
  ])('is left unchanged when it is not readable %s', async (_why, error, reason) => {
    for (const method of ['countByDocument', 'search'] as const) {
      const report = await repair(dataDir, { lexicalIndex: failing(method, error) })
      expect(report.problems).toMatchObject([
        { code: 'words-unreadable', subject: { contextId: 1 }, isRepairable: false, isRepaired: false },
        { code: 'words-unreadable', subject: { contextId: 2 }, isRepairable: false, isRepaired: false },
      ])
      expect(report.problems[0]?.message).toContain(reason)
      await expectSound()
    }
  })

  // W53
  it('is removed when its context is missing, and so are rows of missing documents', async () => {
    await words(dataDir, async (index) => {
      await index.add(WORDS, wordRows(99, 2))
      // A row of a document in another context.
      await index.add(WORDS, wordRows(5, 1))
      await index.add(wordCollectionOf({ id: 77, generation: 0 }), wordRows(1, 1))
    })
    expect(told(await examine(dataDir))).toEqual([
      { code: 'words-without-document', contextId: 1, documentId: 5, collection: WORDS },
      { code: 'words-without-document', contextId: 1, documentId: 99, collection: WORDS },
      { code: 'words-without-context', contextId: 77, collection: wordCollectionOf({ id: 77, generation: 0 }) },
    ])
    await expectMended(['words-without-document', 'words-without-document', 'words-without-context'])
    await words(dataDir, async (index) =>
      expect([...(await index.countByDocument(WORDS)).keys()].sort()).toEqual([1, 2]),
    )
  })

  /** The words of the folder, with reads that fail. */
  function failing(method: 'countByDocument' | 'search', error: Error): LexicalIndex {
    const index = new SqliteLexicalIndex(join(dataDir, 'words'))
    vi.spyOn(index, method).mockRejectedValue(error)
    return index
  }
})

describe('documents whose words are not indexed', () => {
  const forget = async (): Promise<void> => {
    await rm(join(dataDir, 'words'), { recursive: true })
    await sql(dataDir, async (database) => await database('alcove_documents').update({ words_version: null }))
  }

  // W54
  it('and that no job indexes are reported once for each context, and are indexed by a repair', async () => {
    await forget()
    const report = await examine(dataDir)
    expect(told(report)).toEqual([
      { code: 'words-missing', contextId: 1, job: 'index-words' },
      { code: 'words-missing', contextId: 2, job: 'index-words' },
    ])
    expect(report.problems[0]?.message).toBe(
      'Context 1 (Handbook) has 2 documents whose words are not indexed, and no job indexes them.',
    )
    await expectMended(['words-missing', 'words-missing'])
  })

  // W55
  it('and that wait for a job are no problem, and the next engine indexes them', async () => {
    await forget()
    await sql(dataDir, async (database) => {
      await database('alcove_jobs').insert([job(1), job(2)])
    })
    expect(await examine(dataDir)).toMatchObject({ isHealthy: true, problems: [] })
    await withEngine(dataDir, {}, async ({ administration }) => {
      for (let isIndexed = false; !isIndexed; ) {
        const { problems, checked } = await administration.verify()
        expect(problems).toEqual([])
        isIndexed = checked.indexedChunks === checked.chunks
      }
    })
    await expectSound()
  })

  // W56
  it('that the folder lacks are indexed by an engine, while searches by meaning work', async () => {
    await forget()
    const engine = await open(dataDir)
    const session = engine.as(engine.owner)
    expect((await session.search(1, SHELF, { mode: 'semantic' }))[0]?.content).toContain(SHELF)
    await expect.poll(async () => (await firstByWords(engine, SHELF)) ?? '', { timeout: 20_000 }).toContain(SHELF)
    // This document differs from the one with the shelf.
    await expect
      .poll(async () => (await firstByWords(engine, LEAVE)) ?? '', { timeout: 20_000 })
      .toContain('eighteen weeks')
    await engine.close()
    await expectSound()
  })

  // W57
  it('by this version may have words of an older version, which are no damage and are removed after the indexing', async () => {
    const older = wordCollectionOf({ id: 1, generation: 0 }, ANALYZER_VERSION - 1)
    await words(dataDir, async (index) => await index.add(older, wordRows(1, 2)))
    const { problems } = await examine(dataDir)
    expect(problems).toMatchObject([{ code: 'words-of-other-version', subject: { contextId: 1, collection: older } }])
    expect(problems[0]?.message).toContain('they are no damage')
    await sql(dataDir, async (database) => await database('alcove_jobs').insert(job(1)))
    expect((await examine(dataDir)).problems).toEqual([])
    await sql(dataDir, async (database) => await database('alcove_jobs').delete())
    await expectMended(['words-of-other-version'])
    await words(dataDir, async (index) => expect(await index.listCollections()).not.toContain(older))
  })

  // W58
  it('appear in the progress of the repair', async () => {
    await forget()
    const states: VerifyProgress[] = []
    await withEngine(dataDir, { isSweeping: false }, async ({ administration }) => {
      const onProgress = (state: VerifyProgress) => states.push(state)
      expect(await administration.verify({ repair: true, onProgress })).toMatchObject({ isHealthy: true })
    })
    // The job may have indexed some of the three before they are counted.
    const { documents, total } = states.filter(({ stage }) => stage === 'repairing').at(-1) ?? { total: null }
    expect(documents).toBe(total)
    expect(total).toBeLessThanOrEqual(3)
    expect((await stat(join(dataDir, 'words'))).isDirectory()).toBe(true)
  })

  function job(contextId: number) {
    const none = { lease_expires_ms: 0, fencing_token: 0, failures: 0, claims: 0, company_id: 0 }
    return { kind: 'index-words', subject: contextId, lane: contextId, due_ms: 1, ...none }
  }
})
