import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LanceDbVectorIndex } from '../../../../adapters/lancedb/index.js'
import { SqliteLexicalIndex } from '../../../../adapters/words/index.js'
import { DEFAULT_LIMITS } from '../../../../src/kernel/limits.js'
import type { ChunkKey, IndexedChunk, LexicalIndex } from '../../../../src/ports/index.js'
import { PartChoice } from '../../../../src/search/prompt-parts.js'
import { ChunkFinder } from '../../../../src/search/ranking/chunk-finder.js'
import { candidateLimits, fuse } from '../../../../src/search/ranking/fusion.js'
import { IndexReader } from '../../../../src/search/ranking/index-reader.js'
import { toMapKey } from '../../../../src/search/ranking/near-chunks.js'
import { SearchTurns } from '../../../../src/search/search-turns.js'
import { MissingChunks, VisibleDocuments } from '../../../../src/search/searchable-documents.js'
import { CallTurns } from '../../../../src/tenancy/index.js'
import { sized } from '../../../full-form.js'
import { seededRandom } from '../../../seeded-random.js'
import { temporaryFolder } from '../../../temporary-folder.js'

const DOCUMENTS = 11
const CHUNKS = 1_000
const ALL = DOCUMENTS * CHUNKS
const DIMENSIONS = 8
const TOP = 5
const PROMPTS = sized(15, 60)
const WORDS = 'words-1'
const COLLECTION = { name: 'vectors-1', dimensions: DIMENSIONS }
/** Words that most chunks have, and that add little to a score. */
const FREQUENT = ['the', 'of', 'and', 'in']

const random = seededRandom(5)
const word = (): string => `w${Math.floor(4_000 ** random())}`
const vector = (): Float32Array => Float32Array.from({ length: DIMENSIONS }, () => random() + 0.05)

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let words: SqliteLexicalIndex
let vectors: LanceDbVectorIndex

beforeAll(async () => {
  folder = await temporaryFolder()
  words = new SqliteLexicalIndex(join(folder.path, 'words'))
  vectors = new LanceDbVectorIndex(join(folder.path, 'vectors'))
  for (let documentId = 1; documentId <= DOCUMENTS; documentId += 1) {
    const ordinals = Array.from({ length: CHUNKS }, (_, at) => at)
    const terms = ordinals.map(() => [
      ...FREQUENT.flatMap((term) => Array.from({ length: Math.floor(random() * 4) }, () => term)),
      ...Array.from({ length: 4 + Math.floor(random() * 30) }, word),
    ])
    await words.add(WORDS, { documentId, chunks: ordinals, terms })
    await vectors.add(COLLECTION, {
      documentId,
      chunks: Uint32Array.from(ordinals),
      windows: new Uint16Array(CHUNKS),
      vectors: Float32Array.from(ordinals.flatMap(() => [...vector()])),
    })
  }
}, 60_000)

afterAll(async () => {
  await words.close()
  await vectors.close()
  await folder.remove()
})

function finderOf(index: LexicalIndex): ChunkFinder {
  const indexes = { vectors, words: index, onWordsLost: () => undefined }
  return new ChunkFinder(
    new IndexReader(indexes, new SearchTurns(DEFAULT_LIMITS, new CallTurns(DEFAULT_LIMITS), vectors, index), {
      record: () => undefined,
    }),
  )
}

describe('a hybrid search in more than 10,000 chunks', () => {
  it('gives the best of its candidates by exact scores, with these scores', async () => {
    const finder = finderOf(words)
    for (let prompt = 0; prompt < PROMPTS; prompt += 1) {
      const terms = new Map([
        ...FREQUENT.map((term) => [term, 1] as const),
        ...Array.from({ length: 2 + (prompt % 4) }, () => [word(), 0.5 + random()] as const),
      ])
      const asked = vector()
      const visible = new VisibleDocuments({ lastId: DOCUMENTS, hidden: [] }, new MissingChunks())
      const { ranked, scale } = await finder.find({
        mode: 'hybrid',
        topN: TOP,
        scoreThreshold: 0,
        vectors: Promise.resolve([asked]),
        collection: COLLECTION,
        visible,
        whole: { text: '', terms, similarTo: new Set(), isQuestion: false },
        parts: [],
        before: { terms: new Map(), similarTo: new Set() },
        choice: new PartChoice(),
        wordCollection: WORDS,
        wordVisible: visible,
        knowledge: { measure: async () => ({ modelKnowledge: 1, similarityScale: undefined }) },
        stored: { hasAny: async () => true },
        unembedded: { compare: async () => [] },
        taker: { group: 1, member: 1 },
        signal: undefined,
      })
      if (scale.by !== 'both') throw new Error(`prompt ${prompt} is not answered by both sides`)
      const limits = candidateLimits(TOP)
      const byWords = await words.search(WORDS, terms, { limit: limits.byWords, tolerance: 0.05 })
      const byMeaning = await vectors.search(COLLECTION, asked, { limit: limits.byMeaning })
      const found = ranked.map(({ documentId, ordinal }) => ({ documentId, chunk: ordinal }))
      const keys = [...byWords.hits, ...byMeaning, ...found].map((each) => [toMapKey(ofOrdinal(each)), each] as const)
      const candidates = [...new Map(keys).values()]
      // Without a tolerance, the word index is exact: its own tests compare it with an index in memory.
      const { hits } = await words.search(WORDS, terms, { limit: ALL })
      const wordScores = new Map(hits.map((hit) => [toMapKey(ofOrdinal(hit)), hit.score]))
      const nearest = await vectors.nearestWindows(COLLECTION, [asked], candidates)
      const exact = candidates.map((each, at) => {
        const key = ofOrdinal(each)
        return { ...key, similarity: nearest[at]?.similarity ?? 0, wordScore: wordScores.get(toMapKey(key)) ?? 0 }
      })
      const best = fuse(exact, scale.question).slice(0, TOP)
      expect(ranked.map(toMapKey)).toEqual(best.map(toMapKey))
      // The vector index computes some similarities with fewer digits.
      for (const [at, { score }] of ranked.entries()) expect(score).toBeCloseTo(best[at]?.score ?? 0, 5)
    }
  }, 120_000)
})

function ofOrdinal({ documentId, chunk }: IndexedChunk): ChunkKey {
  return { documentId, ordinal: chunk }
}
