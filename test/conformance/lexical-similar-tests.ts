import assert from 'node:assert/strict'
import { bm25, inverseDocumentFrequency, type LexicalIndex, type LexicalSearchOptions } from '../../src/ports/index.js'
import type { DefineTest } from './harness.js'
import { textRows as rows, weighed } from './lexical-rows.js'

/** Adapters may count occurrences in parts of a sixty-fourth. */
const PRECISION = 0.02

/** Tests of terms that count together with similar ones. */
export function lexicalSimilarTests(test: DefineTest<LexicalIndex>, collection: string): void {
  const similarOf = async (index: LexicalIndex, word: string, options: Partial<LexicalSearchOptions> = {}) => {
    return await index.search(collection, weighed(word), { limit: 10, similarTo: new Set([word]), ...options })
  }

  test('finds inflections of a word, the word itself first', async (index) => {
    await index.add(
      collection,
      rows(1, ['talossa', 'asuu'], ['kissa', 'tulee'], ['talo', 'palaa'], ['taloista', 'yksi']),
    )
    const { hits, similar } = await similarOf(index, 'talo')
    assert.deepEqual(
      hits.map(({ chunk }) => chunk),
      [2, 0, 3],
    )
    assert.equal(similar?.get('talo')?.isKnown, true)
    assert.deepEqual([...(similar.get('talo')?.terms.keys() ?? [])], ['talossa', 'taloista'])
    const exact = await index.search(collection, weighed('talo'), { limit: 10 })
    assert.deepEqual(
      exact.hits.map(({ chunk }) => chunk),
      [2],
    )
  })

  test('finds the word that was meant by one with a wrong, missing, superfluous or swapped letter', async (index) => {
    await index.add(collection, rows(1, ['parental', 'leave'], ['espresso', 'machine'], ['oat', 'milk']))
    for (const word of ['parentel', 'parntal', 'parrental', 'paretnal', 'aprental', 'parenta', 'eparental']) {
      const { hits, similar } = await similarOf(index, word)
      assert.deepEqual(
        hits.map(({ chunk }) => chunk),
        [0],
        word,
      )
      assert.deepEqual(similar?.get(word), { isKnown: false, terms: new Map([['parental', 1]]) }, word)
    }
    assert.deepEqual(
      (await similarOf(index, 'leeve')).hits.map(({ chunk }) => chunk),
      [0],
    )
    for (const word of ['gasket', 'vilk', 'aot']) assert.deepEqual((await similarOf(index, word)).hits, [], word)
  })

  test('takes an unknown long word for two known ones that were joined, unless it is like a known one', async (index) => {
    await index.add(
      collection,
      rows(1, ['library', 'closes'], ['noon'], ['car', 'pet'], ['gardening'], ['gar', 'denings']),
    )
    const { hits, similar } = await similarOf(index, 'librarycloses')
    assert.deepEqual(
      hits.map(({ chunk }) => chunk),
      [0],
    )
    const expected = new Map([
      ['closes', 1],
      ['library', 1],
    ])
    assert.deepEqual(similar?.get('librarycloses'), { isKnown: false, terms: expected })
    assert.deepEqual((await similarOf(index, 'carpet')).hits, [])
    assert.deepEqual((await similarOf(index, 'libraryopens')).hits.length, 1, 'similar by its parts of four letters')
    assert.deepEqual((await similarOf(index, 'gardenings')).hits[0]?.chunk, 3)
  })

  test('scores similar terms as occurrences of one term, times their weights', async (index) => {
    const documents = [
      ['houses', 'houses', 'red'],
      ['house', 'houses'],
      ['garden', 'red'],
      ['house', 'tree', 'tree', 'red'],
    ]
    await index.add(collection, rows(1, ...documents))
    const { hits, similar } = await similarOf(index, 'house')
    const weight = similar?.get('house')?.terms.get('houses') ?? 0
    assert.ok(weight > 0 && weight < 1, `${weight} is a share`)
    const idf = inverseDocumentFrequency(4, 2 + weight)
    const expected = documents
      .map((terms, chunk) => {
        const count = (term: string): number => terms.filter((each) => each === term).length
        const occurrences = (): number => count('house') + weight * count('houses')
        return { chunk, score: bm25(new Map([['house', idf]]), { occurrences, length: terms.length }, 11 / 4) }
      })
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
    assert.deepEqual(
      hits.map(({ chunk }) => chunk),
      expected.map(({ chunk }) => chunk),
    )
    for (const [at, { score }] of hits.entries()) {
      const wanted = expected[at]?.score ?? 0
      assert.ok(Math.abs(score - wanted) <= PRECISION * wanted, `${score} is about ${wanted}`)
    }
  })

  test('gives the same scores to chunks that are asked for after the search', async (index) => {
    await index.add(collection, rows(1, ['houses', 'red'], ['house'], ['garden']))
    const { hits, scoresOf } = await similarOf(index, 'house')
    const chunks = [0, 1, 2].map((chunk) => ({ documentId: 1, chunk }))
    const scores = await scoresOf(chunks)
    assert.equal(hits.length, 2)
    for (const { chunk, score } of hits) assert.ok(Math.abs((scores[chunk] ?? 0) - score) < 1e-9)
    assert.equal(scores[2], 0)
  })

  test('counts the chunks of similar terms in its statistics', async (index) => {
    await index.add(collection, rows(1, ['houses'], ['houses'], ['houses'], ['house']))
    const { similar } = await similarOf(index, 'house')
    const weight = similar?.get('house')?.terms.get('houses') ?? 0
    const { chunksWithTerm } = await index.statistics(collection, ['house'], new Set(['house']))
    assert.ok(Math.abs((chunksWithTerm.get('house') ?? 0) - (1 + 3 * weight)) < 1e-6)
    assert.equal((await index.statistics(collection, ['house'])).chunksWithTerm.get('house'), 1)
  })

  test('finds similar terms among thousands, also those of later additions', async (index) => {
    const syllables = ['ka', 'mo', 'ri', 'ten', 'sul', 'vo', 'pra', 'dig', 'nel', 'bru', 'zot', 'wim']
    const words = syllables.flatMap((one) =>
      syllables.flatMap((two) => syllables.map((three) => `${one}${two}${three}x`)),
    )
    const half = words.length / 2
    await index.add(collection, rows(1, ...words.slice(0, half).map((word) => [word])))
    await index.add(collection, rows(2, ['lighthouse'], ['lighthouses']))
    await index.add(collection, rows(3, ...words.slice(half).map((word) => [word])))
    for (const word of ['lighthouse', 'lighthuose']) {
      const { hits } = await similarOf(index, word)
      assert.deepEqual(hits.map(({ documentId, chunk }) => `${documentId}:${chunk}`).sort(), ['2:0', '2:1'], word)
    }
    await index.add(collection, rows(4, ['lighthouseman']))
    const { hits } = await similarOf(index, 'lighthouse')
    assert.ok(hits.some(({ documentId }) => documentId === 4))
  })

  test('no longer finds the words of deleted documents by similar ones', async (index) => {
    await index.add(collection, rows(1, ['lighthouses']))
    await index.add(collection, rows(2, ['garden']))
    await index.deleteDocument(collection, 1, 0)
    assert.deepEqual((await similarOf(index, 'lighthouse')).hits, [])
    await index.add(collection, rows(3, ['lighthouses']))
    assert.deepEqual(
      (await similarOf(index, 'lighthouse')).hits.map(({ documentId }) => documentId),
      [3],
    )
  })

  test('finds what was added and deleted between two searches for one word, also if the numbers of chunks are the same', async (index) => {
    const chunksOf = async (): Promise<readonly string[]> => {
      const { hits, scoresOf } = await similarOf(index, 'lighthouse')
      const scores = await scoresOf(hits)
      for (const [at, { score }] of hits.entries()) assert.ok(Math.abs((scores[at] ?? 0) - score) < 1e-9)
      return hits.map(({ documentId, chunk }) => `${documentId}:${chunk}`).sort()
    }
    await index.add(collection, rows(1, ['lighthouse', 'red'], ['garden', 'red']))
    await index.add(collection, rows(2, ['lighthouses', 'red']))
    assert.deepEqual(await chunksOf(), ['1:0', '2:0'])
    assert.deepEqual(await chunksOf(), ['1:0', '2:0'])
    await index.add(collection, rows(3, ['lighthouses', 'red'], ['lighthouse', 'red']))
    assert.deepEqual(await chunksOf(), ['1:0', '2:0', '3:0', '3:1'])
    await index.deleteDocument(collection, 3, 1)
    await index.deleteDocument(collection, 2, 0)
    await index.add(collection, rows(4, ['garden', 'red'], ['lighthouse', 'red']))
    assert.deepEqual(await chunksOf(), ['1:0', '3:0', '4:1'])
    await index.deleteDocument(collection, 1, 0)
    assert.deepEqual(await chunksOf(), ['3:0', '4:1'])
  })
}
