import type { Target } from './target-outcome.js'

const BENCHMARK = 'retrieval-quality'

/** Q1: what a search by words and meaning is to find. */
export const RETRIEVAL_TARGETS: readonly Target[] = [
  {
    benchmark: BENCHMARK,
    what: 'Q1 the lowest of all scores by meaning above its reference, in parts of what it may be below',
    path: ['leastOverReference'],
    atLeast: -1,
    unit: '',
    mustHold: true,
  },
]
