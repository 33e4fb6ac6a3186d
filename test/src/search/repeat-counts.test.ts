import { expect, test } from 'vitest'
import { RepeatCounts } from '../../../src/search/ranking/repeat-counts.js'

const chunks = (count: number) => Array.from({ length: count }, (_, ordinal) => ({ documentId: 1, ordinal }))

test('a context without known repeats is searched for one more chunk than the list has', () => {
  const counts = new RepeatCounts(200)
  counts.learn(1, chunks(6), chunks(6), 5)
  expect(counts.wanted(1, 5)).toBe(6)
  expect(counts.wanted(1, 500)).toBe(501)
})

test('a context with repeats is searched at once for as many chunks as its last search needed', () => {
  const counts = new RepeatCounts(200)
  const ranked = chunks(24)
  // The sixth different passage was the twelfth chunk.
  const distinct = [...ranked.slice(0, 5), ...ranked.slice(11, 15)]
  counts.learn(1, ranked, distinct, 5)
  expect(counts.wanted(1, 5)).toBe(12)
  expect(counts.wanted(1, 10)).toBe(24)
  expect(counts.wanted(1, 150)).toBe(200)
  expect(counts.wanted(2, 5)).toBe(6)
})

test('if a context has too few passages for the list, the next search sees at once that it has no more chunks', () => {
  const counts = new RepeatCounts(200)
  counts.learn(1, chunks(9), chunks(2), 5)
  expect(counts.wanted(1, 5)).toBe(10)
})

test('searches without repeats forget those of before', () => {
  const counts = new RepeatCounts(200)
  counts.learn(1, chunks(12), chunks(2), 5)
  const wanted = Array.from({ length: 60 }, () => {
    counts.learn(1, chunks(13), chunks(13), 5)
    return counts.wanted(1, 5)
  })
  expect(wanted[0]).toBe(13)
  expect(wanted.at(-1)).toBe(6)
})
