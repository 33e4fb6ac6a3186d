import assert from 'node:assert/strict'
import {
  type DocumentIds,
  inverseDocumentFrequency,
  type LexicalIndex,
  type LexicalStatistics,
} from '../../src/ports/index.js'
import type { DefineTest } from './harness.js'
import { generateTexts, textRows, weighed } from './lexical-rows.js'

const PRECISION = 1e-4

/** Tests of the statistics of terms, of scores by the statistics of several collections, and of exact counts. */
export function lexicalStatisticsTests(test: DefineTest<LexicalIndex>, collection: string, other: string): void {
  test('reads the statistics of terms', async (index) => {
    await index.add(collection, textRows(1, ['apple', 'pear', 'apple'], ['pear'], []))
    await index.add(collection, textRows(2, ['plum', 'apple']))
    const { chunks, meanLength, chunksWithTerm } = await index.statistics(collection, ['apple', 'pear', 'fig'])
    assert.deepEqual([chunks, meanLength], [4, 1.5])
    assert.deepEqual(
      [chunksWithTerm.get('apple'), chunksWithTerm.get('pear'), chunksWithTerm.get('fig') ?? 0],
      [2, 2, 0],
    )
    assert.deepEqual([(await index.statistics(collection, [])).chunks, chunksWithTerm.has('plum')], [4, false])
    const missing = await index.statistics(other, ['apple'])
    assert.deepEqual([missing.chunks, missing.meanLength, missing.chunksWithTerm.get('apple') ?? 0], [0, 0, 0])
  })

  test('scores alike with and without the statistics that it returns', async (index) => {
    const { documents, questions } = generateTexts(10, 5)
    for (const rows of documents) await index.add(collection, rows)
    for (const question of questions) {
      const statistics = await index.statistics(collection, [...question.keys()])
      const own = await index.search(collection, question, { limit: 20 })
      const given = await index.search(collection, question, { limit: 20, statistics })
      assert.deepEqual(given.hits, own.hits)
      assert.equal(given.maximum, own.maximum)
      for (const [term, weight] of question) {
        const idf = weight * inverseDocumentFrequency(statistics.chunks, statistics.chunksWithTerm.get(term) ?? 0)
        near(own.idfs?.get(term) ?? idf, idf)
      }
    }
  })

  test('scores the parts of a corpus as the whole, by the statistics of all parts', async (index) => {
    const { documents, questions } = generateTexts(20, 5)
    for (const rows of documents) await index.add('whole', rows)
    for (const rows of documents.slice(0, 3)) await index.add(collection, rows)
    for (const rows of documents.slice(3)) await index.add(other, rows)
    for (const question of questions) {
      const terms = [...question.keys()]
      const statistics = sum(await index.statistics(collection, terms), await index.statistics(other, terms))
      const whole = await index.search('whole', question, { limit: 20 })
      const parts = await Promise.all(
        [collection, other].map((part) => index.search(part, question, { limit: 20, statistics })),
      )
      const joined = parts.flatMap(({ hits }) => hits).sort((one, another) => another.score - one.score)
      for (const [at, { score }] of whole.hits.entries()) near(joined[at]?.score, score)
      for (const { maximum } of parts) near(maximum, whole.maximum)
      const [best] = whole.hits
      const [first] = parts
      if (best === undefined || first === undefined || best.documentId > 3) continue
      near((await first.scoresOf([best]))[0], best.score)
    }
  })

  test('has the maximum of the given statistics in a collection without chunks', async (index) => {
    await index.add(collection, textRows(1, ['apple'], ['pear']))
    const statistics = await index.statistics(collection, ['apple'])
    const { maximum } = await index.search(collection, weighed('apple'), { limit: 1 })
    const { hits, maximum: ofNone } = await index.search(other, weighed('apple'), { limit: 1, statistics })
    assert.deepEqual(hits, [])
    near(ofNone, maximum)
  })

  test('counts the chunks and documents that have each term, exactly, whatever was deleted', async (index) => {
    await index.add(collection, textRows(1, ['apple', 'apple', 'pear'], ['apple'], ['plum']))
    await index.add(collection, textRows(2, ['apple'], ['pear']))
    await index.add(collection, textRows(3, ['pear', 'plum']))
    await index.add(collection, { documentId: 1, chunks: [7], terms: [['apple', 'fig']] })
    const terms = ['apple', 'pear', 'plum', 'fig', 'date']
    const all = { apple: [4, 2], pear: [3, 3], plum: [2, 2], fig: [1, 1] }
    assert.deepEqual(await counted(index, terms), all)
    assert.deepEqual(await counted(index, terms, { except: [] }), all)
    assert.deepEqual(await counted(index, terms, { only: [2, 3, 99] }), { apple: [1, 1], pear: [2, 2], plum: [1, 1] })
    assert.deepEqual(await counted(index, terms, { except: [2, 3] }), {
      apple: [3, 1],
      pear: [1, 1],
      plum: [1, 1],
      fig: [1, 1],
    })
    assert.deepEqual(await counted(index, terms, { only: [] }), {})
    await index.deleteDocument(collection, 1, 1)
    await index.deleteDocument(collection, 3, 0)
    assert.deepEqual(await counted(index, terms), { apple: [2, 2], pear: [2, 2] })
    assert.deepEqual([await counted(index, []), (await index.countTerms(other, terms)).size], [{}, 0])
  })

  test('counts as many chunks as it finds among two thousand', async (index) => {
    const { documents, questions } = generateTexts(40, 3)
    for (const rows of documents) await index.add(collection, rows)
    for (const question of questions) {
      const counts = await index.countTerms(collection, [...question.keys()])
      for (const term of question.keys()) {
        const { hits } = await index.search(collection, weighed(term), { limit: 3_000 })
        const found = new Set(hits.map(({ documentId }) => documentId))
        const { chunks = 0, documents: withTerm = 0 } = counts.get(term) ?? {}
        assert.deepEqual([chunks, withTerm], [hits.length, found.size])
      }
    }
  })
}

function sum(one: LexicalStatistics, another: LexicalStatistics): LexicalStatistics {
  const chunks = one.chunks + another.chunks
  const length = one.meanLength * one.chunks + another.meanLength * another.chunks
  const terms = new Set([...one.chunksWithTerm.keys(), ...another.chunksWithTerm.keys()])
  const countOf = (term: string): number =>
    (one.chunksWithTerm.get(term) ?? 0) + (another.chunksWithTerm.get(term) ?? 0)
  return {
    chunks,
    meanLength: length / chunks,
    chunksWithTerm: new Map([...terms].map((term) => [term, countOf(term)])),
  }
}

async function counted(
  index: LexicalIndex,
  terms: readonly string[],
  documents?: DocumentIds,
): Promise<Record<string, readonly [chunks: number, documents: number]>> {
  const counts = await index.countTerms('context-1-words-1', terms, documents === undefined ? {} : { documents })
  return Object.fromEntries(
    terms.flatMap((term) => {
      const count = counts.get(term)
      return count === undefined ? [] : [[term, [count.chunks, count.documents] as const]]
    }),
  )
}

function near(actual: number | undefined, expected: number | undefined): void {
  assert.ok(actual !== undefined && expected !== undefined, 'there is a number')
  assert.ok(Math.abs(actual - expected) <= PRECISION * Math.max(1e-3, expected), `${actual} is about ${expected}`)
}
