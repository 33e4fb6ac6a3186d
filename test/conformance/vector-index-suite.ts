import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import type {
  DocumentIds,
  VectorCollection,
  VectorIndex,
  VectorRows,
  VectorSearchOptions,
} from '../../src/ports/index.js'
import { type CreateSubject, type DefineTest, defineSuite, rejectsWith, type TestRunner } from './harness.js'

const COLLECTION: VectorCollection = { name: 'context-1-model-0a1b', dimensions: 4 }
const OTHER: VectorCollection = { name: 'context-2-model-0a1b', dimensions: 4 }
const X = [1, 0, 0, 0]
const Y = [0, 1, 0, 0]
const BETWEEN = [0.6, 0.8, 0, 0]

/** Tests for every VectorIndex. */
export function vectorIndexSuite(runner: TestRunner, name: string, create: CreateSubject<VectorIndex>): void {
  defineSuite(runner, `VectorIndex: ${name}`, create, (test) => {
    test('finds the nearest windows with their cosine, the nearest first', async (index) => {
      await index.add(COLLECTION, vectorRows(7, [Y, X, BETWEEN]))
      const hits = await index.search(COLLECTION, Float32Array.from(X), { limit: 10 })
      assert.deepEqual(
        hits.map(({ similarity, ...key }) => [key, Math.round(similarity * 1_000) / 1_000]),
        [
          [{ documentId: 7, chunk: 1, window: 0 }, 1],
          [{ documentId: 7, chunk: 2, window: 0 }, 0.6],
          [{ documentId: 7, chunk: 0, window: 0 }, 0],
        ],
      )
    })

    test('returns negative cosines unchanged, whatever the length of the vectors', async (index) => {
      await index.add(COLLECTION, vectorRows(1, [[-3, 0, 0, 0]]))
      const [hit] = await index.search(COLLECTION, Float32Array.from([0.5, 0, 0, 0]), { limit: 1 })
      assert.ok(Math.abs((hit?.similarity ?? 0) + 1) < 1e-5)
    })

    test('finds no vector of zeros, and nothing for a query of zeros', async (index) => {
      const zeros = [0, 0, 0, 0]
      const opposite = [-1, 0, 0, 0]
      await index.add(COLLECTION, vectorRows(1, [zeros, X, zeros]))
      await index.add(COLLECTION, vectorRows(2, [opposite, zeros]))
      const chunksOf = async (query: readonly number[], options: VectorSearchOptions): Promise<string[]> => {
        const hits = await index.search(COLLECTION, Float32Array.from(query), options)
        return hits.map(({ documentId, chunk }) => `${documentId}:${chunk}`)
      }
      assert.deepEqual(await chunksOf(X, { limit: 10 }), ['1:1', '2:0'])
      // Zeros are nearer than the opposite direction, and take no place of the limit.
      assert.deepEqual(await chunksOf(X, { limit: 2 }), ['1:1', '2:0'])
      assert.deepEqual(await chunksOf(X, { limit: 10, documents: { only: [2] } }), ['2:0'])
      assert.deepEqual(await chunksOf(zeros, { limit: 10 }), [])
      const chunks = [0, 1].map((chunk) => ({ documentId: 1, chunk }))
      const similarities = async (...queries: readonly (readonly number[])[]) => {
        const vectors = queries.map((query) => Float32Array.from(query))
        const nearest = await index.nearestWindows(COLLECTION, vectors, chunks)
        return nearest.map((window) => Math.abs(Math.round((window?.similarity ?? Number.NaN) * 1_000)) / 1_000)
      }
      assert.deepEqual(await similarities(X), [0, 1])
      assert.deepEqual(await similarities(zeros), [0, 0])
      assert.deepEqual(await similarities(opposite, zeros), [0, 0])
      const key = { documentId: 1, chunk: 0, window: 0 }
      assert.deepEqual(await index.read(COLLECTION, [key]), [Float32Array.from(zeros)])
    })

    test('returns as many hits as the limit says, or all if there are fewer', async (index) => {
      await index.add(
        COLLECTION,
        vectorRows(
          1,
          Array.from({ length: 50 }, () => X),
        ),
      )
      assert.equal((await index.search(COLLECTION, Float32Array.from(X), { limit: 20 })).length, 20)
      assert.equal((await index.search(COLLECTION, Float32Array.from(X), { limit: 100 })).length, 50)
    })

    test('finds windows directly after their addition', async (index) => {
      for (let documentId = 1; documentId <= 5; documentId += 1) {
        await index.add(COLLECTION, vectorRows(documentId, [X]))
        assert.equal((await index.search(COLLECTION, Float32Array.from(X), { limit: 10 })).length, documentId)
      }
    })

    test('finds only windows that pass the document filter, and fills the limit with them', async (index) => {
      // Windows outside the filter are nearer and far more numerous.
      for (const documentId of [1, 3])
        await index.add(
          COLLECTION,
          vectorRows(
            documentId,
            Array.from({ length: 300 }, () => X),
          ),
        )
      await index.add(COLLECTION, vectorRows(2, [BETWEEN, Y, BETWEEN]))
      await index.add(COLLECTION, vectorRows(4, [Y]))
      const found = async (documents: DocumentIds, limit = 10): Promise<number[]> => {
        const hits = await index.search(COLLECTION, Float32Array.from(X), { limit, documents })
        return hits.map(({ documentId }) => documentId)
      }
      assert.deepEqual(await found({ only: [2] }), [2, 2, 2])
      assert.deepEqual(await found({ only: [4, 2, 99] }, 2), [2, 2])
      assert.deepEqual((await found({ only: [4, 2, 99] })).sort(), [2, 2, 2, 4])
      assert.deepEqual((await found({ except: [3, 1, 99] })).sort(), [2, 2, 2, 4])
      assert.deepEqual(await found({ except: [1, 2, 3] }), [4])
      assert.deepEqual(await found({ only: [] }), [])
      assert.deepEqual(await found({ only: [99] }), [])
      assert.equal((await found({ except: [] }, 1_000)).length, 604)
    })

    test('accepts filters of ten thousand documents', async (index) => {
      for (const documentId of [1, 20_000]) await index.add(COLLECTION, vectorRows(documentId, [X]))
      const many = Array.from({ length: 10_000 }, (_, number) => number + 2)
      for (const documents of [{ only: [1, ...many] }, { except: [20_000, ...many] }]) {
        const hits = await index.search(COLLECTION, Float32Array.from(X), { limit: 5, documents })
        assert.deepEqual(
          hits.map(({ documentId }) => documentId),
          [1],
        )
      }
    })

    test('keeps collections separate', async (index) => {
      await index.add(COLLECTION, vectorRows(1, [X]))
      await index.add(OTHER, vectorRows(2, [X]))
      const hits = await index.search(OTHER, Float32Array.from(X), { limit: 10 })
      assert.deepEqual(
        hits.map(({ documentId }) => documentId),
        [2],
      )
    })

    test('returns vectors in the order of the keys', async (index) => {
      await index.add(COLLECTION, vectorRows(3, [X, BETWEEN]))
      await index.add(COLLECTION, vectorRows(4, [Y]))
      const keys = [
        { documentId: 4, chunk: 0, window: 0 },
        { documentId: 3, chunk: 1, window: 0 },
        { documentId: 3, chunk: 9, window: 0 },
        { documentId: 3, chunk: 0, window: 5 },
      ]
      const vectors = await index.read(COLLECTION, keys)
      assert.deepEqual(
        vectors.map((vector) => vector && Array.from(vector, (component) => Math.round(component * 10) / 10)),
        [Y, BETWEEN, undefined, undefined],
      )
      assert.deepEqual(await index.read(COLLECTION, []), [])
    })

    nearestWindowsTests(test)

    test('counts the windows of one document', async (index) => {
      await index.add(COLLECTION, windowRows(3, 0, [X, Y]))
      await index.add(COLLECTION, windowRows(3, 1, [X]))
      await index.add(COLLECTION, vectorRows(4, [Y]))
      const counted = async (): Promise<number[]> =>
        await Promise.all([3, 4, 5].map((documentId) => index.count(COLLECTION.name, documentId)))
      assert.deepEqual(await counted(), [3, 1, 0])
      await index.deleteDocument(COLLECTION.name, 3, 1)
      assert.deepEqual(await counted(), [2, 1, 0])
      assert.equal(await index.count(OTHER.name, 3), 0)
    })

    test('deletes the windows of a document from a given chunk on', async (index) => {
      await index.add(COLLECTION, vectorRows(1, [X, X, X]))
      await index.add(COLLECTION, vectorRows(2, [X]))
      await index.deleteDocument(COLLECTION.name, 1, 1)
      assert.deepEqual([...(await index.countByDocument(COLLECTION.name))].sort(), [
        [1, 1],
        [2, 1],
      ])
      await index.deleteDocument(COLLECTION.name, 1, 0)
      await index.deleteDocument(COLLECTION.name, 1, 0)
      assert.deepEqual([...(await index.countByDocument(COLLECTION.name))], [[2, 1]])
    })

    test('finds nothing and deletes nothing in a missing collection', async (index) => {
      assert.deepEqual(await index.search(COLLECTION, Float32Array.from(X), { limit: 3 }), [])
      assert.deepEqual(await index.read(COLLECTION, [{ documentId: 1, chunk: 0, window: 0 }]), [undefined])
      const chunks = [0, 1].map((chunk) => ({ documentId: 1, chunk }))
      assert.deepEqual(await index.nearestWindows(COLLECTION, [Float32Array.from(X)], chunks), [undefined, undefined])
      assert.equal(await index.count(COLLECTION.name, 1), 0)
      await index.deleteDocument(COLLECTION.name, 1, 0)
      await index.drop(COLLECTION.name)
      assert.equal((await index.countByDocument(COLLECTION.name)).size, 0)
      assert.deepEqual(await index.listCollections(), [])
    })

    test('says how many bytes the vectors take, if it knows', async (index) => {
      const before = await index.usedBytes?.()
      await index.add(COLLECTION, vectorRows(7, [Y, X, BETWEEN]))
      const after = await index.usedBytes?.()
      assert.ok(before === undefined ? after === undefined : (after ?? 0) > before, `${before} and ${after} bytes`)
    })

    test('drops a collection, which a later addition creates again', async (index) => {
      await index.add(COLLECTION, vectorRows(1, [X]))
      await index.add(OTHER, vectorRows(1, [X]))
      await index.drop(COLLECTION.name)
      assert.deepEqual(await index.listCollections(), [OTHER.name])
      assert.deepEqual(await index.search(COLLECTION, Float32Array.from(X), { limit: 3 }), [])
      await index.add(COLLECTION, vectorRows(2, [Y]))
      assert.equal((await index.search(COLLECTION, Float32Array.from(X), { limit: 3 })).length, 1)
    })

    // Q4
    test('rejects vectors that have another length or are not finite, and adds none of them', async (index) => {
      const [nan, infinite] = [Number.NaN, Number.NEGATIVE_INFINITY]
      for (const vectors of [
        [[1, 0, 0]],
        [[1, 0, 0, nan]],
        [X, [Number.POSITIVE_INFINITY, 0, 0, 0]],
        [[0, infinite, 0, 0], X],
      ]) {
        await rejectsWith('ERR_VECTOR_INVALID', index.add(COLLECTION, vectorRows(1, vectors)))
      }
      assert.equal((await index.countByDocument(COLLECTION.name)).size, 0)
      await index.add(COLLECTION, vectorRows(1, [X]))
      for (const query of [[1, 0, 0], [1, 0, 0, 0, 0], [1, Number.NaN, 0, 0], []]) {
        await rejectsWith('ERR_VECTOR_INVALID', index.search(COLLECTION, Float32Array.from(query), { limit: 1 }))
        const queries = [X, query].map((vector) => Float32Array.from(vector))
        await rejectsWith(
          'ERR_VECTOR_INVALID',
          index.nearestWindows(COLLECTION, queries, [{ documentId: 1, chunk: 0 }]),
        )
      }
    })

    test('handles concurrent writers', async (index) => {
      const documents = Array.from({ length: 20 }, (_, number) => number + 1)
      await Promise.all(documents.map((documentId) => index.add(COLLECTION, vectorRows(documentId, [X, Y]))))
      await Promise.all(documents.slice(10).map((documentId) => index.deleteDocument(COLLECTION.name, documentId, 0)))
      assert.deepEqual(
        [...(await index.countByDocument(COLLECTION.name))].sort(([one], [other]) => one - other),
        documents.slice(0, 10).map((documentId) => [documentId, 2]),
      )
    })

    test('finds the windows of the first writers of a collection, however close together they write', async (index) => {
      for (let pauseMs = 0; pauseMs < 12; pauseMs += 0.25) {
        const collection = { name: `context-${pauseMs}`, dimensions: 4 }
        const first = index.add(collection, vectorRows(1, [X]))
        for (const end = performance.now() + pauseMs; performance.now() < end; ) await setImmediate()
        await Promise.all([first, index.add(collection, vectorRows(2, [Y])), index.countByDocument(collection.name)])
        assert.equal((await index.countByDocument(collection.name)).size, 2)
      }
    })

    test('finds added windows as soon as the addition is acknowledged, while other additions are in progress', async (index) => {
      const documents = Array.from({ length: 60 }, (_, number) => number + 1)
      await Promise.all(
        documents.map(async (documentId) => {
          await index.add(COLLECTION, vectorRows(documentId, [X, Y]))
          const options = { limit: 5, documents: { only: [documentId] } }
          assert.equal((await index.search(COLLECTION, Float32Array.from(X), options)).length, 2)
        }),
      )
    })

    test('applies writes in the order of the calls', async (index) => {
      await index.add(COLLECTION, vectorRows(2, [X]))
      await Promise.all([
        index.add(COLLECTION, vectorRows(1, [X, X, X])),
        index.deleteDocument(COLLECTION.name, 1, 0),
        index.add(COLLECTION, vectorRows(1, [Y, Y])),
        index.add(COLLECTION, vectorRows(3, [Y])),
        index.deleteDocument(COLLECTION.name, 1, 1),
      ])
      assert.deepEqual([...(await index.countByDocument(COLLECTION.name))].sort(), [
        [1, 1],
        [2, 1],
        [3, 1],
      ])
    })

    test('loses no window over many small additions and deletions', async (index) => {
      for (let documentId = 1; documentId <= 150; documentId += 1) {
        await index.add(COLLECTION, vectorRows(documentId, [X]))
        if (documentId % 3 === 0) await index.deleteDocument(COLLECTION.name, documentId, 0)
      }
      assert.equal((await index.countByDocument(COLLECTION.name)).size, 100)
      assert.equal((await index.search(COLLECTION, Float32Array.from(X), { limit: 200 })).length, 100)
    })

    test('rejects every call after close, and a second close succeeds', async (index) => {
      await index.add(COLLECTION, vectorRows(1, [X]))
      await index.close()
      await index.close()
      await rejectsWith('ERR_CLOSED', index.search(COLLECTION, Float32Array.from(X), { limit: 1 }))
      await rejectsWith('ERR_CLOSED', index.add(COLLECTION, vectorRows(1, [X])))
      await rejectsWith('ERR_CLOSED', index.count(COLLECTION.name, 1))
      const chunks = [{ documentId: 1, chunk: 0 }]
      await rejectsWith('ERR_CLOSED', index.nearestWindows(COLLECTION, [Float32Array.from(X)], chunks))
    })
  })
}

/** Tests that compare the windows of given chunks with vectors of four dimensions. */
function nearestWindowsTests(test: DefineTest<VectorIndex>): void {
  test('returns the window of each chunk that is nearest to any of several vectors', async (index) => {
    await index.add(COLLECTION, windowRows(3, 0, [Y, BETWEEN, [-1, 0, 0, 0]]))
    await index.add(COLLECTION, windowRows(3, 7, [X, [0, 0, 5, 0]]))
    await index.add(COLLECTION, windowRows(4, 0, [[0, 0, 0.6, 0.8]]))
    const queries = [
      [2, 0, 0, 0],
      [0, 0, 1, 0],
    ].map((query) => Float32Array.from(query))
    const keys = [
      { documentId: 4, chunk: 0 },
      { documentId: 3, chunk: 0 },
      { documentId: 3, chunk: 1 },
      { documentId: 3, chunk: 7 },
      { documentId: 99, chunk: 0 },
      { documentId: 3, chunk: 0 },
    ]
    const near = async (...vectors: readonly Float32Array[]): Promise<(readonly [number, number] | undefined)[]> =>
      (await index.nearestWindows(COLLECTION, vectors, keys)).map(
        (found) => found && ([found.window, Math.round(found.similarity * 1e4) / 1e4] as const),
      )
    const none = undefined
    assert.deepEqual(await near(queries[0] as Float32Array), [[0, 0], [1, 0.6], none, [0, 1], none, [1, 0.6]])
    assert.deepEqual((await near(queries[1] as Float32Array))[3], [1, 1])
    const [first, second, third, fourth, ...rest] = await near(...queries)
    assert.deepEqual([first, second, third, rest], [[0, 0.6], [1, 0.6], none, [none, [1, 0.6]]])
    assert.equal(fourth?.[1], 1)
    assert.deepEqual(await index.nearestWindows(COLLECTION, queries, []), [])
  })

  test('returns nearest windows with their exact cosine, even for hundreds of chunks', async (index) => {
    const vectorOf = (documentId: number, chunk: number, window: number): number[] => [
      Math.sin(documentId * 7 + chunk),
      Math.cos(chunk * 3 + window),
      Math.sin(window * 5 + documentId) * 3,
      Math.cos(documentId + chunk + window),
    ]
    const sequence = (length: number): number[] => Array.from({ length }, (_, number) => number)
    const keys = sequence(20).flatMap((documentId) => sequence(15).map((chunk) => ({ documentId, chunk })))
    for (const { documentId, chunk } of keys) {
      const vectors = sequence(3).map((window) => vectorOf(documentId, chunk, window))
      await index.add(COLLECTION, windowRows(documentId, chunk, vectors))
    }
    const queries = [
      [0.3, -2, 1, 0.1],
      [-1, 0.2, 0.4, 3],
    ]
    const near = await index.nearestWindows(
      COLLECTION,
      queries.map((query) => Float32Array.from(query)),
      keys,
    )
    for (const [at, { documentId, chunk }] of keys.entries()) {
      const cosines = sequence(3).map((window) =>
        Math.max(...queries.map((query) => cosine(query, vectorOf(documentId, chunk, window)))),
      )
      const nearest = Math.max(...cosines)
      const { window, similarity } = near[at] ?? { window: -1, similarity: Number.NaN }
      assert.deepEqual([window, Math.abs(similarity - nearest) < 1e-5], [cosines.indexOf(nearest), true])
    }
  })
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = (left: readonly number[], right: readonly number[]): number =>
    left.reduce((sum, component, at) => sum + component * (right[at] ?? 0), 0)
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other))
}

/** One window for each chunk, from chunk 0 on. */
function vectorRows(documentId: number, vectors: readonly (readonly number[])[]): VectorRows {
  return {
    documentId,
    chunks: Uint32Array.from(vectors, (_, chunk) => chunk),
    windows: new Uint16Array(vectors.length),
    vectors: Float32Array.from(vectors.flat()),
  }
}

/** Windows of one chunk, from window 0 on. */
function windowRows(documentId: number, chunk: number, vectors: readonly (readonly number[])[]): VectorRows {
  return {
    documentId,
    chunks: new Uint32Array(vectors.length).fill(chunk),
    windows: Uint16Array.from(vectors, (_, window) => window),
    vectors: Float32Array.from(vectors.flat()),
  }
}
