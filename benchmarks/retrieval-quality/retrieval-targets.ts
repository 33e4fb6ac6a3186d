import type { Target } from '../harness/target-outcome.js'
import { HYBRID } from './retrieval-finders.js'

const BENCHMARK = 'retrieval-quality'

/** Scores of the five best chunks. */
const CHUNKINGS = [
  { chunkSizeTokens: 1_000, overlap: 0.2, recall: 1, precision: 0.0116 },
  { chunkSizeTokens: 400, overlap: 0.2, recall: 0.975, precision: 0.0279 },
  { chunkSizeTokens: 250, overlap: 0.5, recall: 0.95, precision: 0.0418 },
  { chunkSizeTokens: 200, overlap: 0, recall: 0.93, precision: 0.0493 },
]

const COLLECTIONS = [
  { collection: 'cranfield', score: 0.42 },
  { collection: 'cisi', score: 0.45 },
  { collection: 'xquad-en', score: 0.955 },
  { collection: 'xquad-es', score: 0.9 },
  { collection: 'xquad-zh', score: 0.91 },
  { collection: 'similar documents', score: 0.98 },
]

/** Q1: the hits of a search by words and meaning. */
export const RETRIEVAL_TARGETS: readonly Target[] = [
  {
    benchmark: BENCHMARK,
    what: 'lowest score by meaning minus its reference, as a multiple of the allowed difference',
    path: ['leastOverReference'],
    atLeast: -1,
    unit: '',
    mustHold: true,
  },
  ...CHUNKINGS.flatMap(({ chunkSizeTokens, overlap, ...scores }): Target[] =>
    (['recall', 'precision'] as const).map((measure) => ({
      benchmark: BENCHMARK,
      what: `${measure} of chunks of ${chunkSizeTokens} tokens`,
      path: ['chunkings', { chunkSizeTokens, overlap, by: HYBRID }, measure],
      atLeast: scores[measure],
      unit: '',
      mustHold: true,
    })),
  ),
  ...COLLECTIONS.map(
    ({ collection, score }): Target => ({
      benchmark: BENCHMARK,
      what: `score of ${collection}`,
      path: ['collections', { collection, by: HYBRID }, 'score'],
      atLeast: score,
      unit: '',
      mustHold: true,
    }),
  ),
]
