import type { Target } from './target-outcome.js'

const PORT = 'at the index port'

/** P5: what a search is to reach in each of the two sets of vectors. */
export const SEARCH_TARGETS: readonly Target[] = (['easy', 'hard'] as const).flatMap((set) => [
  ...[1_000, 10_000, 100_000, 1_000_000].flatMap((windows) => recalls(set, windows)),
  ...[100_000, 1_000_000].flatMap((windows) => speeds(set, windows)),
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

function recalls(set: string, windows: number): readonly Target[] {
  return [
    { what: 'recall at 10', figure: 'recallAt10' },
    { what: 'recall at 10 after deletions', figure: 'recallAfterDeletions' },
    { what: 'recall at 10 with filters', figure: 'recallWithFilters' },
  ].map(({ what, figure }) => ({
    benchmark: 'search',
    what: `P5 ${what}, ${named(set, windows)}`,
    path: [PORT, { set, windows }, figure],
    atLeast: 0.99,
    unit: '',
    limit: {
      text: 'how many partitions are searched is measured on rows of the table itself.',
      needed: 'a larger sample of them.',
    },
  }))
}

function speeds(set: string, windows: number): readonly Target[] {
  const row = { set, windows }
  return [
    {
      benchmark: 'search',
      what: `P5 one search, ${named(set, windows)}`,
      path: [PORT, row, 'p50Ms'],
      atMost: windows > 100_000 ? 15 : 5,
      unit: 'ms',
      limit: {
        text: 'plain LanceDB takes {} ms for the same search of the same index, round by round; {} ms are the engine’s.',
        figures: [
          [PORT, row, 'plainIndexP50Ms'],
          [PORT, row, 'overPlainIndexMs'],
        ],
        needed: 'fewer steps within LanceDB, or vectors in the memory of the process.',
      },
    },
    {
      benchmark: 'search',
      what: `P5 searches a second beside exact scans, ${named(set, windows)}`,
      path: [PORT, row, 'timesTheScan'],
      atLeast: windows > 100_000 ? 50 : 10,
      unit: 'times',
    },
  ]
}

function named(set: string, windows: number): string {
  return `${windows.toLocaleString('en')} windows, ${set}`
}
