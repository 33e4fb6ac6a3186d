import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { type DocumentIds, type LexicalIndex, MAX_FOUND_TERMS } from '../../src/ports/index.js'
import { type CreateSubject, defineSuite, rejectsWith, type TestRunner } from './harness.js'
import { textRows as rows, weighed } from './lexical-rows.js'
import { lexicalScoreTests } from './lexical-score-tests.js'
import { lexicalSimilarTests } from './lexical-similar-tests.js'
import { lexicalStatisticsTests } from './lexical-statistics-tests.js'

const COLLECTION = 'context-1-words-1'
const OTHER = 'context-2-words-1'

/** Tests for every LexicalIndex. */
export function lexicalIndexSuite(runner: TestRunner, name: string, create: CreateSubject<LexicalIndex>): void {
  defineSuite(runner, `LexicalIndex: ${name}`, create, (test) => {
    lexicalScoreTests(test, COLLECTION)
    lexicalStatisticsTests(test, COLLECTION, OTHER)
    lexicalSimilarTests(test, COLLECTION)

    test('compares terms literally, whatever characters they contain', async (index) => {
      const terms = [
        ...['"quoted"', "'", "it's", "''", '\\', 'C:\\temp\\', '::', 'a:b', 'a&b', '&', '|', '!', '!a', '(', ')', '()'],
        ...[
          '*',
          'a*',
          '%',
          '_',
          '%_%',
          'a_b',
          'axb',
          '?',
          '$1',
          '{',
          '}',
          '{}',
          '{a,b}',
          ',',
          ';--',
          '#1795',
          'E-4711',
        ],
        ...[
          'null',
          'NULL',
          'and',
          'AND',
          'or',
          'not',
          'true',
          '-',
          '+',
          '~',
          '^',
          '.',
          '/',
          '<b>',
          '\u0060',
          '@x',
          '[a]',
        ],
        ...['word', 'Word', 'WORD', 'words', 'wor', 'word.', 'café', 'cafe', 'cafe\u0301', 'ﬁ', 'fi', 'ß', 'ss'],
        ...[
          '東京',
          '東',
          '京都',
          'ภาษา',
          'हिन्दी',
          'العربية',
          '👍',
          '👍🏽',
          '👩‍👩‍👧',
          '𠮷',
          'a\u200bb',
          'ab',
          '0',
          '00',
        ],
        ...['x'.repeat(256), 'x'.repeat(255), '語'.repeat(256), '😀'.repeat(128)],
      ]
      for (const [at, term] of terms.entries()) await index.add(COLLECTION, rows(at, ['filler', term]))
      for (const [at, term] of terms.entries()) {
        const { hits } = await index.search(COLLECTION, weighed(term), { limit: 10 })
        assert.deepEqual(
          hits.map(({ documentId }) => documentId),
          [at],
          `${term} is found in its document alone`,
        )
      }
      const { hits } = await index.search(COLLECTION, weighed(...terms), { limit: 1_000 })
      assert.equal(hits.length, terms.length)
    })

    test('finds all chunks that have any of the terms, and no others', async (index) => {
      await index.add(COLLECTION, rows(1, ['apple', 'pear'], ['plum'], ['fig']))
      await index.add(COLLECTION, rows(2, [], ['apple']))
      assert.deepEqual(await found(index, weighed('apple', 'plum', 'unknown')), ['1:0', '1:1', '2:1'])
      assert.deepEqual(await found(index, weighed('unknown', 'app', 'apple pear')), [])
      assert.deepEqual(await found(index, weighed()), [])
    })

    test('returns as many hits as the limit says, or all if there are fewer', async (index) => {
      await index.add(COLLECTION, rows(1, ...Array.from({ length: 50 }, () => ['apple'])))
      await index.add(COLLECTION, rows(2, ...Array.from({ length: 50 }, () => ['pear'])))
      for (const [limit, length] of [
        [1, 1],
        [20, 20],
        [100, 50],
      ] as const) {
        const { hits } = await index.search(COLLECTION, weighed('apple'), { limit })
        assert.equal(new Set(hits.map(({ chunk }) => chunk)).size, length)
        assert.deepEqual([...new Set(hits.map(({ documentId }) => documentId))], [1])
      }
    })

    test('finds only chunks that pass the document filter, and fills the limit with them', async (index) => {
      // Chunks outside the filter score better and are far more numerous.
      for (const documentId of [1, 3]) {
        await index.add(COLLECTION, rows(documentId, ...Array.from({ length: 300 }, () => ['apple', 'apple'])))
      }
      await index.add(COLLECTION, rows(2, ['apple', 'pear'], ['pear'], ['apple', 'plum', 'fig']))
      await index.add(COLLECTION, rows(4, ['fig', 'plum', 'pear', 'apple']))
      const finds = (documents: DocumentIds, limit = 1_000): Promise<string[]> =>
        found(index, weighed('apple'), { limit, documents })
      assert.deepEqual(await finds({ only: [2] }), ['2:0', '2:2'])
      assert.deepEqual(await finds({ only: [4, 2, 99] }, 2), ['2:0', '2:2'])
      assert.deepEqual(await finds({ only: [4, 2, 99] }), ['2:0', '2:2', '4:0'])
      assert.deepEqual(await finds({ except: [3, 1, 99] }), ['2:0', '2:2', '4:0'])
      assert.deepEqual(await finds({ except: [1, 2, 3] }), ['4:0'])
      assert.deepEqual(await finds({ only: [] }), [])
      assert.deepEqual(await finds({ only: [99] }), [])
      assert.equal((await finds({ except: [] })).length, 603)
    })

    test('accepts filters of twenty thousand documents', async (index) => {
      for (const documentId of [1, 30_000]) await index.add(COLLECTION, rows(documentId, ['apple', 'pear']))
      const many = Array.from({ length: 20_000 }, (_, number) => number + 2)
      for (const documents of [{ only: [1, ...many] }, { except: [30_000, ...many] }]) {
        assert.deepEqual(await found(index, weighed('apple', 'pear'), { limit: 5, documents }), ['1:0'])
      }
    })

    test('keeps collections separate', async (index) => {
      await index.add(COLLECTION, rows(1, ['apple']))
      await index.add(OTHER, rows(2, ['apple']))
      assert.deepEqual(await found(index, weighed('apple'), { limit: 5 }, OTHER), ['2:0'])
      assert.deepEqual([...(await index.listCollections())].sort(), [COLLECTION, OTHER])
    })

    test('deletes the chunks of a document from a given chunk on', async (index) => {
      await index.add(COLLECTION, rows(1, ['apple'], ['apple'], ['apple']))
      await index.add(COLLECTION, rows(2, ['apple']))
      await index.deleteDocument(COLLECTION, 1, 1)
      assert.deepEqual(await found(index, weighed('apple')), ['1:0', '2:0'])
      assert.deepEqual(await counts(index), [
        [1, 1],
        [2, 1],
      ])
      await index.deleteDocument(COLLECTION, 1, 0)
      await index.deleteDocument(COLLECTION, 1, 0)
      assert.deepEqual(await found(index, weighed('apple')), ['2:0'])
      assert.equal(await index.count(COLLECTION, 1), 0)
      await index.add(COLLECTION, rows(1, ['apple']))
      assert.deepEqual(await found(index, weighed('apple')), ['1:0', '2:0'])
    })

    test('finds the terms that begin with a prefix', async (index) => {
      assert.deepEqual(await index.findTerms(COLLECTION, ['→rma→']), [])
      await index.add(
        COLLECTION,
        rows(1, ['→rma→a', 'rma', '→rma', '→rma→b→c'], ['→rma→a', '→Rma→x', '→rmb→x', '→ооn→я']),
      )
      assert.deepEqual([...(await index.findTerms(COLLECTION, ['→rma→']))].sort(), ['→rma→a', '→rma→b→c'])
      assert.deepEqual([...(await index.findTerms(COLLECTION, ['→rmb→', '%', '→ооn→', '_']))].sort(), [
        '→rmb→x',
        '→ооn→я',
      ])
      await index.add(
        COLLECTION,
        rows(
          2,
          Array.from({ length: 40 }, (_, at) => `→many→${at}`),
        ),
      )
      await index.add(COLLECTION, rows(3, ['→many→']))
      const ofMany = await index.findTerms(COLLECTION, ['→many→'])
      assert.equal(ofMany.length, MAX_FOUND_TERMS)
      assert.ok(ofMany.includes('→many→'))
    })

    test('replaces the chunks that an addition brings once more, and keeps the others of the document', async (index) => {
      await index.add(COLLECTION, rows(1, ['apple'], ['apple'], ['apple'], ['apple'], ['apple']))
      await index.add(COLLECTION, rows(2, ['apple']))
      await index.add(COLLECTION, { documentId: 1, chunks: [1, 2], terms: [['pear'], ['pear', 'plum']] })
      assert.deepEqual(await found(index, weighed('apple')), ['1:0', '1:3', '1:4', '2:0'])
      assert.deepEqual(await found(index, weighed('pear')), ['1:1', '1:2'])
      assert.deepEqual(await counts(index), [
        [1, 5],
        [2, 1],
      ])
      await index.add(COLLECTION, { documentId: 1, chunks: [0, 4, 5], terms: [['fig'], ['fig'], ['fig']] })
      assert.deepEqual(await found(index, weighed('apple')), ['1:3', '2:0'])
      assert.deepEqual(await found(index, weighed('fig')), ['1:0', '1:4', '1:5'])
      await index.deleteDocument(COLLECTION, 1, 3)
      assert.deepEqual(await found(index, weighed('apple', 'pear', 'fig')), ['1:0', '1:1', '1:2', '2:0'])
    })

    test('counts the chunks of documents, including chunks without terms', async (index) => {
      await index.add(COLLECTION, rows(1, ['apple', 'apple', 'pear'], [], ['plum']))
      await index.add(COLLECTION, { documentId: 1, chunks: [3, 9], terms: [[], ['fig']] })
      await index.add(COLLECTION, rows(7, []))
      assert.deepEqual(await counts(index), [
        [1, 5],
        [7, 1],
      ])
      assert.deepEqual([await index.count(COLLECTION, 1), await index.count(COLLECTION, 7)], [5, 1])
      assert.deepEqual([await index.count(COLLECTION, 2), await index.count(OTHER, 1)], [0, 0])
      assert.deepEqual(await found(index, weighed('fig')), ['1:9'])
    })

    test('finds nothing and deletes nothing in a missing collection', async (index) => {
      assert.deepEqual(await found(index, weighed('apple')), [])
      await index.deleteDocument(COLLECTION, 1, 0)
      await index.drop(COLLECTION)
      assert.deepEqual([await index.count(COLLECTION, 1), await counts(index)], [0, []])
      assert.deepEqual(await index.listCollections(), [])
    })

    test('says how many bytes the words take, if it knows', async (index) => {
      const before = await index.usedBytes?.()
      await index.add(COLLECTION, rows(1, ['parental leave']))
      const after = await index.usedBytes?.()
      assert.ok(before === undefined ? after === undefined : (after ?? 0) > before, `${before} and ${after} bytes`)
    })

    test('drops a collection, which a later addition creates again', async (index) => {
      await index.add(COLLECTION, rows(1, ['apple']))
      await index.add(OTHER, rows(1, ['apple']))
      await index.drop(COLLECTION)
      assert.deepEqual(await index.listCollections(), [OTHER])
      assert.deepEqual(await found(index, weighed('apple')), [])
      assert.deepEqual(await counts(index), [])
      await index.add(COLLECTION, rows(2, ['pear', 'apple']))
      assert.deepEqual(await found(index, weighed('apple')), ['2:0'])
      assert.deepEqual(await found(index, weighed('apple'), { limit: 5 }, OTHER), ['1:0'])
    })

    test('handles concurrent writers', async (index) => {
      const documents = Array.from({ length: 20 }, (_, number) => number + 1)
      await Promise.all(documents.map((documentId) => index.add(COLLECTION, rows(documentId, ['apple'], ['pear']))))
      await Promise.all(documents.slice(10).map((documentId) => index.deleteDocument(COLLECTION, documentId, 0)))
      assert.deepEqual(
        await counts(index),
        documents.slice(0, 10).map((documentId) => [documentId, 2]),
      )
      assert.equal((await found(index, weighed('pear'))).length, 10)
    })

    test('finds the chunks of the first writers of a collection, however close together they write', async (index) => {
      for (let pauseMs = 0; pauseMs < 12; pauseMs += 0.5) {
        const collection = `context-${pauseMs}`
        const first = index.add(collection, rows(1, ['apple']))
        for (const end = performance.now() + pauseMs; performance.now() < end; ) await setImmediate()
        await Promise.all([first, index.add(collection, rows(2, ['apple'])), index.countByDocument(collection)])
        assert.deepEqual(await found(index, weighed('apple'), { limit: 5 }, collection), ['1:0', '2:0'])
      }
    })

    test('finds added chunks as soon as the addition is acknowledged, while other additions are in progress', async (index) => {
      const documents = Array.from({ length: 60 }, (_, number) => number + 1)
      await Promise.all(
        documents.map(async (documentId) => {
          await index.add(COLLECTION, rows(documentId, ['apple'], ['apple', `own-${documentId}`]))
          assert.deepEqual(await found(index, weighed(`own-${documentId}`)), [`${documentId}:1`])
          const only = await found(index, weighed('apple'), { limit: 5, documents: { only: [documentId] } })
          assert.deepEqual(only, [`${documentId}:0`, `${documentId}:1`])
        }),
      )
    })

    test('applies writes in the order of the calls', async (index) => {
      await index.add(COLLECTION, rows(2, ['apple']))
      await Promise.all([
        index.add(COLLECTION, rows(1, ['apple'], ['apple'], ['apple'])),
        index.deleteDocument(COLLECTION, 1, 0),
        index.add(COLLECTION, rows(1, ['pear'], ['pear'])),
        index.add(COLLECTION, rows(3, ['pear'])),
        index.deleteDocument(COLLECTION, 1, 1),
      ])
      assert.deepEqual(await found(index, weighed('apple')), ['2:0'])
      assert.deepEqual(await found(index, weighed('pear')), ['1:0', '3:0'])
    })

    test('loses no chunk over many small additions and deletions', async (index) => {
      for (let documentId = 1; documentId <= 150; documentId += 1) {
        await index.add(COLLECTION, rows(documentId, ['apple']))
        if (documentId % 3 === 0) await index.deleteDocument(COLLECTION, documentId, 0)
      }
      assert.equal((await counts(index)).length, 100)
      assert.equal((await found(index, weighed('apple'))).length, 100)
    })

    test('rejects every call after close, and a second close succeeds', async (index) => {
      await index.add(COLLECTION, rows(1, ['apple']))
      await index.close()
      await index.close()
      await rejectsWith('ERR_CLOSED', index.search(COLLECTION, weighed('apple'), { limit: 1 }))
      await rejectsWith('ERR_CLOSED', index.search(COLLECTION, weighed(), { limit: 1 }))
      await rejectsWith('ERR_CLOSED', index.statistics(COLLECTION, ['apple']))
      await rejectsWith('ERR_CLOSED', index.countTerms(COLLECTION, ['apple']))
      await rejectsWith('ERR_CLOSED', index.add(COLLECTION, rows(1, ['apple'])))
      await rejectsWith('ERR_CLOSED', index.deleteDocument(COLLECTION, 1, 0))
      await rejectsWith('ERR_CLOSED', index.count(COLLECTION, 1))
      await rejectsWith('ERR_CLOSED', index.countByDocument(COLLECTION))
      await rejectsWith('ERR_CLOSED', index.listCollections())
      await rejectsWith('ERR_CLOSED', index.drop(COLLECTION))
    })
  })
}

/** Hits as `document:chunk`, ordered by document and chunk instead of by score. */
async function found(
  index: LexicalIndex,
  query: ReadonlyMap<string, number>,
  options: { readonly limit: number; readonly documents?: DocumentIds } = { limit: 1_000 },
  collection: string = COLLECTION,
): Promise<string[]> {
  const { hits } = await index.search(collection, query, options)
  return [...hits]
    .sort((one, other) => one.documentId - other.documentId || one.chunk - other.chunk)
    .map(({ documentId, chunk }) => `${documentId}:${chunk}`)
}

async function counts(index: LexicalIndex): Promise<(readonly [number, number])[]> {
  return [...(await index.countByDocument(COLLECTION))].sort(([one], [other]) => one - other)
}
