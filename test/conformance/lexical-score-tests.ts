import assert from 'node:assert/strict'
import {
  bm25,
  bm25Maximum,
  inverseDocumentFrequency,
  type LexicalIndex,
  type LexicalQuery,
  type LexicalRows,
} from '../../src/ports/index.js'
import type { DefineTest } from './harness.js'
import { generateTexts, textRows, weighed } from './lexical-rows.js'

/** An index may store scores in single precision. */
const PRECISION = 1e-4
const OVERLAP = 0.95
const GENERATED_DOCUMENTS = 40
const GENERATED_QUESTIONS = 50

interface Scored {
  readonly key: string
  readonly score: number
}

/** Tests of the ranking of chunks. */
export function lexicalScoreTests(test: DefineTest<LexicalIndex>, collection: string): void {
  test('ranks chunks by BM25, the best chunk first', async (index) => {
    await index.add(
      collection,
      textRows(5, ['apple', 'pear'], ['apple', 'apple', 'plum', 'fig'], ['plum', 'fig', 'fig']),
    )
    const { hits, maximum } = await index.search(collection, weighed('apple'), { limit: 10 })
    assert.deepEqual(
      hits.map(({ documentId, chunk }) => [documentId, chunk]),
      [
        [5, 1],
        [5, 0],
      ],
    )
    // ln(1 + 1.5 / 2.5) · tf · 2.2 / (tf + 1.2 · (0.25 + 0.75 · length / 3))
    const idf = 0.470_003_629
    near(hits[0]?.score, (idf * 2 * 2.2) / 3.5)
    near(hits[1]?.score, (idf * 2.2) / 1.9)
    near(maximum, idf * 2.2)
  })

  test('counts the terms of names as occurrences, and not in the length of a chunk', async (index) => {
    await index.add(collection, {
      ...textRows(5, ['apple', 'pear'], ['fig'], ['plum', 'fig', 'fig']),
      names: [['apple'], ['apple', 'apple'], []],
    })
    const { hits } = await index.search(collection, weighed('apple'), { limit: 10 })
    assert.deepEqual(
      hits.map(({ chunk }) => chunk),
      [1, 0],
    )
    // ln(1 + 1.5 / 2.5) · tf · 2.2 / (tf + 1.2 · (0.25 + 0.75 · length / 2)): lengths are those without names.
    const idf = 0.470_003_629
    near(hits[0]?.score, (idf * 2 * 2.2) / (2 + 1.2 * (0.25 + 0.75 / 2)))
    near(hits[1]?.score, (idf * 2 * 2.2) / (2 + 1.2))
  })

  test('sums the scores of terms by their weights', async (index) => {
    const rows = textRows(1, ['apple', 'pear'], ['pear', 'plum', 'plum'], ['fig'], ['fig', 'plum', 'apple', 'date'])
    await index.add(collection, rows)
    for (const query of [
      new Map([
        ['plum', 1],
        ['pear', 1],
      ]),
      new Map([
        ['plum', 0.25],
        ['pear', 3],
        ['apple', 0.001],
      ]),
      new Map([['fig', 2.5]]),
    ]) {
      await assertExact(index, collection, [rows], query)
    }
  })

  test('computes term frequencies over all documents, whatever the filter', async (index) => {
    const documents = [
      textRows(1, ['apple', 'pear'], ['apple']),
      textRows(2, ['plum', 'plum', 'plum', 'pear'], ['apple', 'plum', 'fig']),
      textRows(3, ['pear', 'date']),
    ]
    for (const rows of documents) await index.add(collection, rows)
    const expected = scoresOf(documents, weighed('apple', 'plum')).hits.filter(({ key }) => key.startsWith('2:'))
    for (const filter of [{ only: [2] }, { except: [1, 3] }]) {
      const { hits } = await index.search(collection, weighed('apple', 'plum'), { limit: 10, documents: filter })
      assertSame(hits.map(asScored), expected)
    }
  })

  test('includes chunks without terms in its statistics', async (index) => {
    const rows = textRows(1, [], ['apple', 'pear'], [], ['pear'])
    await index.add(collection, rows)
    await assertExact(index, collection, [rows], weighed('apple', 'pear'))
  })

  test('gives almost no score to a term that every chunk has', async (index) => {
    const rows = textRows(1, ...Array.from({ length: 200 }, (_, at) => ['the', at === 150 ? 'apple' : 'pear']))
    await index.add(collection, rows)
    const { hits, maximum } = await index.search(collection, weighed('the'), { limit: 500 })
    assert.equal(hits.length, 200)
    assert.ok(hits.every(({ score }) => score > 0 && score < 0.01))
    assert.ok(maximum > 0 && maximum < 0.01)
    const both = await index.search(collection, weighed('the', 'apple'), { limit: 1 })
    assert.equal(both.hits[0]?.chunk, 150)
  })

  test('returns the documents with the lowest ids among equal ones, whatever the order of additions', async (index) => {
    const documents = Array.from({ length: 300 }, (_, at) => at + 1)
    for (const id of [...documents.filter((each) => each > 5), 3, 5, 1, 4, 2]) {
      await index.add(collection, textRows(id, ['apple', 'pear']))
    }
    const { hits } = await index.search(collection, weighed('apple'), { limit: 30 })
    assert.deepEqual(
      hits.map(({ documentId }) => documentId),
      documents.slice(0, 30),
    )
  })

  test('orders chunks of equal score by document, then by ordinal', async (index) => {
    for (const documentId of [9, 2, 11, 1]) {
      await index.add(collection, {
        documentId,
        chunks: [10, 2, 0],
        terms: [
          ['apple', 'pear'],
          ['pear', 'apple'],
          ['apple', 'apple'],
        ],
      })
    }
    const { hits } = await index.search(collection, weighed('apple'), { limit: 100 })
    const documents = [1, 2, 9, 11]
    assert.deepEqual(
      hits.map(({ documentId, chunk }) => [documentId, chunk]),
      [
        ...documents.map((id) => [id, 0]),
        ...documents.flatMap((id) => [
          [id, 2],
          [id, 10],
        ]),
      ],
    )
  })

  test('returns a maximum that no score exceeds', async (index) => {
    await index.add(collection, textRows(1, Array(5_000).fill('apple') as string[], ['pear'], ['plum', 'fig']))
    const { hits, maximum } = await index.search(collection, weighed('apple', 'pear'), { limit: 10 })
    assert.equal(hits.length, 2)
    for (const { score } of hits) assert.ok(score < maximum)
    near(maximum, scoresOf([textRows(1, ['apple'], ['pear'], ['plum'])], weighed('apple', 'pear')).maximum)
  })

  test('scores given chunks exactly as hits, including those beyond the limit and the filter', async (index) => {
    const { documents, questions } = generateTexts(GENERATED_DOCUMENTS, GENERATED_QUESTIONS)
    for (const rows of documents) await index.add(collection, rows)
    const chunks = documents.flatMap(({ documentId, chunks }) => chunks.map((chunk) => ({ documentId, chunk })))
    for (const question of questions.slice(0, 5)) {
      const expected = new Map(scoresOf(documents, question).hits.map(({ key, score }) => [key, score]))
      for (const options of [{ limit: 3 }, { limit: 3, documents: { only: [1] } }, { limit: 0 }]) {
        const answer = await index.search(collection, question, options)
        const scores = await answer.scoresOf(chunks)
        assert.equal(scores.length, chunks.length)
        for (const [at, { documentId, chunk }] of chunks.entries()) {
          near(scores[at], expected.get(`${documentId}:${chunk}`) ?? 0)
        }
      }
    }
  })

  test('returns scores in the order of the given chunks, and 0 for missing chunks', async (index) => {
    await index.add(collection, textRows(1, ['apple'], ['pear'], ['apple', 'apple', 'pear']))
    await index.add(collection, textRows(2, ['apple', 'plum']))
    await index.add(collection, { documentId: 3, chunks: [7, 3], terms: [['apple'], ['plum']] })
    const search = async () => await index.search(collection, weighed('apple'), { limit: 10 })
    // An index may keep what several searches in a row need.
    for (let searches = 0; searches < 3; searches += 1) await search()
    const { hits, scoresOf: scored } = await search()
    const known = new Map(hits.map(({ documentId, chunk, score }) => [`${documentId}:${chunk}`, score]))
    const chunks = ['3:7', '1:2', '1:1', '9:0', '1:3', '3:3', '2:0', '1:2', '3:4', '1:0'].map((key) => {
      const [documentId = 0, chunk = 0] = key.split(':').map(Number)
      return { documentId, chunk }
    })
    const scores = await scored(chunks)
    for (const [at, { documentId, chunk }] of chunks.entries()) {
      near(scores[at], known.get(`${documentId}:${chunk}`) ?? 0)
    }
    assert.deepEqual(await scored([]), [])
    await index.deleteDocument(collection, 1, 2)
    await index.deleteDocument(collection, 2, 0)
    const [deleted, shortened, left] = await scored([
      { documentId: 2, chunk: 0 },
      { documentId: 1, chunk: 2 },
      { documentId: 1, chunk: 0 },
    ])
    assert.deepEqual([deleted, shortened], [0, 0])
    near(left, known.get('1:0'))
    await index.drop(collection)
    assert.deepEqual(await scored([{ documentId: 1, chunk: 0 }]), [0])
    const nothing = await index.search(collection, weighed('apple'), { limit: 10 })
    assert.deepEqual(await nothing.scoresOf([{ documentId: 1, chunk: 0 }]), [0])
  })

  test('finds the best chunks among two thousand', async (index) => {
    const { documents, questions } = generateTexts(GENERATED_DOCUMENTS, GENERATED_QUESTIONS)
    for (const rows of documents) await index.add(collection, rows)
    let [found, wanted] = [0, 0]
    for (const question of questions) {
      const expected = scoresOf(documents, question)
      const { hits, maximum } = await index.search(collection, question, { limit: 10 })
      const scores = new Map(expected.hits.map(({ key, score }) => [key, score]))
      // Any of several equal chunks is accepted.
      const least = (expected.hits.slice(0, 10).at(-1)?.score ?? 0) * (1 - PRECISION)
      const isBest = ({ key }: Scored): boolean => (scores.get(key) ?? 0) >= least
      found += hits.map(asScored).filter(isBest).length
      wanted += Math.min(10, expected.hits.length)
      for (const { key, score } of hits.map(asScored)) near(score, scores.get(key))
      near(maximum, expected.maximum)
    }
    assert.ok(found / wanted >= OVERLAP, `${found} of ${wanted} are found`)
  })
}

/** Scores of a collection by definition, for each chunk with a term of the query, the best first. */
function scoresOf(
  documents: readonly LexicalRows[],
  query: LexicalQuery,
): { readonly hits: readonly Scored[]; readonly maximum: number } {
  const chunks = documents.flatMap(({ documentId, chunks, terms }) =>
    chunks.map((chunk, row) => ({ key: `${documentId}:${chunk}`, terms: terms[row] ?? [] })),
  )
  const meanLength = chunks.reduce((sum, { terms }) => sum + terms.length, 0) / chunks.length
  const idfs = new Map<string, number>()
  for (const [term, weight] of query) {
    const withTerm = chunks.filter(({ terms }) => terms.includes(term)).length
    idfs.set(term, weight * inverseDocumentFrequency(chunks.length, withTerm))
  }
  const hits = chunks
    .map(({ key, terms }) => {
      const occurrences = (term: string): number => terms.filter((each) => each === term).length
      return { key, score: bm25(idfs, { occurrences, length: terms.length }, meanLength) }
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
  return { hits, maximum: bm25Maximum(idfs) }
}

async function assertExact(
  index: LexicalIndex,
  collection: string,
  documents: readonly LexicalRows[],
  query: LexicalQuery,
): Promise<void> {
  const expected = scoresOf(documents, query)
  const { hits, maximum } = await index.search(collection, query, { limit: 100 })
  assertSame(hits.map(asScored), expected.hits)
  near(maximum, expected.maximum)
}

function assertSame(actual: readonly Scored[], expected: readonly Scored[]): void {
  assert.deepEqual(
    actual.map(({ key }) => key),
    expected.map(({ key }) => key),
  )
  for (const [at, { score }] of actual.entries()) near(score, expected[at]?.score)
}

function asScored(hit: { readonly documentId: number; readonly chunk: number; readonly score: number }): Scored {
  return { key: `${hit.documentId}:${hit.chunk}`, score: hit.score }
}

function near(actual: number | undefined, expected: number | undefined): void {
  assert.ok(actual !== undefined && expected !== undefined, 'there is a number')
  assert.ok(Math.abs(actual - expected) <= PRECISION * Math.max(1e-3, expected), `${actual} is about ${expected}`)
}
