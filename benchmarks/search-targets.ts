import type { Target } from './target-outcome.js'

const PORT = 'at the index port'
const LONELY_CALLER = 'fewer steps within LanceDB, or vectors in the memory of the process.'

/** P5: what a search is to reach in each of the two sets of vectors. */
export const SEARCH_TARGETS: readonly Target[] = (['easy', 'hard'] as const).flatMap((set) => [
  ...[100_000, 1_000_000].flatMap((windows) => ofSize(set, windows)),
  {
    benchmark: 'search',
    what: `P5 recall at 10 of pgvector, ${set}`,
    path: ['the index of pgvector', { set }, 'recallAt10'],
    atLeast: 0.99,
    unit: '',
  },
  {
    benchmark: 'search',
    what: `P5 memory with 64 callers, 1,000,000 windows, ${set}`,
    path: [PORT, { set, windows: 1_000_000 }, 'peakMb'],
    atMost: 1_500,
    unit: 'MB',
  },
])

function ofSize(set: string, windows: number): readonly Target[] {
  const row = { set, windows }
  const of = `${windows.toLocaleString('en')} windows, ${set}`
  const recall = (what: string, figure: string): Target => ({
    benchmark: 'search',
    what: `P5 ${what}, ${of}`,
    path: [PORT, row, figure],
    atLeast: 0.99,
    unit: '',
    limit: {
      text: 'how many partitions are searched is measured on rows of the table itself.',
      needed: 'a larger sample of them.',
    },
  })
  return [
    recall('recall at 10', 'recallAt10'),
    recall('recall at 10 after deletions', 'recallAfterDeletions'),
    recall('recall at 10 with filters', 'recallWithFilters'),
    {
      benchmark: 'search',
      what: `P5 one search, ${of}`,
      path: [PORT, row, 'p50Ms'],
      atMost: windows > 100_000 ? 15 : 5,
      unit: 'ms',
      limit: {
        text: 'plain LanceDB takes {} ms for the same search of the same index, round by round; {} ms are the engine’s.',
        figures: [
          [PORT, row, 'plainIndexP50Ms'],
          [PORT, row, 'overPlainIndexMs'],
        ],
        needed: LONELY_CALLER,
      },
    },
    {
      benchmark: 'search',
      what: `P5 searches a second beside exact scans, ${of}`,
      path: [PORT, row, 'timesTheScan'],
      atLeast: windows > 100_000 ? 50 : 10,
      unit: 'times',
    },
  ]
}
