import assert from 'node:assert/strict'
import type { VectorCollection, VectorIndex } from '../../src/ports/index.js'
import { windowRows } from './vector-rows.js'

type Test = (name: string, body: (index: VectorIndex) => Promise<void>) => void

/** Tests that compare the windows of given chunks with vectors of four dimensions. */
export function nearestWindowsTests(test: Test, collection: VectorCollection): void {
  test('returns the window of each chunk that is nearest to any of several vectors', async (index) => {
    await index.add(collection, windowRows(3, 0, [Y, BETWEEN, [-1, 0, 0, 0]]))
    await index.add(collection, windowRows(3, 7, [X, [0, 0, 5, 0]]))
    await index.add(collection, windowRows(4, 0, [[0, 0, 0.6, 0.8]]))
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
      (await index.nearestWindows(collection, vectors, keys)).map(
        (found) => found && ([found.window, Math.round(found.similarity * 1e4) / 1e4] as const),
      )
    const none = undefined
    assert.deepEqual(await near(queries[0] as Float32Array), [[0, 0], [1, 0.6], none, [0, 1], none, [1, 0.6]])
    assert.deepEqual((await near(queries[1] as Float32Array))[3], [1, 1])
    const [first, second, third, fourth, ...rest] = await near(...queries)
    assert.deepEqual([first, second, third, rest], [[0, 0.6], [1, 0.6], none, [none, [1, 0.6]]])
    assert.equal(fourth?.[1], 1)
    assert.deepEqual(await index.nearestWindows(collection, queries, []), [])
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
      await index.add(collection, windowRows(documentId, chunk, vectors))
    }
    const queries = [
      [0.3, -2, 1, 0.1],
      [-1, 0.2, 0.4, 3],
    ]
    const near = await index.nearestWindows(
      collection,
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
