import type { Step, Target } from '../harness/target-outcome.js'

const PORT = 'at the index port'
const MILLION = 1_000_000
/** From this number of windows on, the pgvector adapter builds an index by itself. */
export const PGVECTOR_WINDOWS = 24_000

/** P5: searches in each of the two sets of vectors, and through the engine. */
export const SEARCH_TARGETS: readonly Target[] = [
  ...(['easy', 'hard'] as const).flatMap(targetsOf),
  memory('through the engine', { about: MILLION }, '1,000,000 windows, through the engine'),
]

function targetsOf(set: string): readonly Target[] {
  return [
    ...[1_000, 10_000, 100_000, 1_000_000].flatMap((windows) => recalls(set, windows)),
    ...[100_000, 1_000_000].flatMap((windows) => speeds(set, windows)),
    {
      benchmark: 'search',
      what: `recall at 10 of pgvector, ${named(set, PGVECTOR_WINDOWS)}`,
      path: ['the index of pgvector', { set, windows: PGVECTOR_WINDOWS }, 'recallAt10'],
      atLeast: 0.99,
      unit: '',
      mustHold: true,
      limit: {
        text: 'its index has vectors in half precision, and a search compares at least 400 of them.',
        needed: 'searches that compare more vectors, and take longer.',
      },
    },
    memory(PORT, { set, windows: MILLION }, named(set, MILLION)),
  ]
}

function memory(where: string, row: Step, of: string): Target {
  return {
    benchmark: 'search',
    what: `memory with 64 callers, ${of}`,
    path: [where, row, 'peakMb'],
    atMost: 1_500,
    unit: 'MB',
    limit: {
      text: 'Lance keeps the parts of an index and the rows that it has read, and 64 searches read at the same time.',
      needed: 'fewer concurrent searches within Lance.',
    },
  }
}

function recalls(set: string, windows: number): readonly Target[] {
  return [
    { what: 'recall at 10', figure: 'recallAt10' },
    { what: 'recall at 10 after deletions', figure: 'recallAfterDeletions' },
    { what: 'recall at 10 with filters', figure: 'recallWithFilters' },
  ].map(({ what, figure }) => ({
    benchmark: 'search',
    what: `${what}, ${named(set, windows)}`,
    path: [PORT, { set, windows }, figure],
    atLeast: 0.99,
    unit: '',
    mustHold: true,
    limit: {
      text: 'the engine measures on rows of the table how many partitions a search must read.',
      needed: 'a larger sample of the rows.',
    },
  }))
}

function speeds(set: string, windows: number): readonly Target[] {
  const row = { set, windows }
  return [
    {
      benchmark: 'search',
      what: `time of one search, ${named(set, windows)}`,
      path: [PORT, row, 'p50Ms'],
      atMost: windows > 100_000 ? 15 : 5,
      unit: 'ms',
      limit: {
        text: 'plain LanceDB takes {} ms for the same search of the same index, round by round. The engine adds {} ms.',
        figures: [
          [PORT, row, 'plainIndexP50Ms'],
          [PORT, row, 'overPlainIndexMs'],
        ],
        needed: 'fewer steps within LanceDB, or vectors in the memory of the process.',
      },
    },
    {
      benchmark: 'search',
      what: `searches a second, beside exact scans, ${named(set, windows)}`,
      path: [PORT, row, 'timesTheScan'],
      atLeast: windows > 100_000 ? 50 : 10,
      unit: 'times',
      limit: {
        text: 'plain LanceDB makes {} scans a second, and the engine {} searches a second with 64 callers.',
        figures: [
          [PORT, row, 'plainScansPerSecond'],
          [PORT, row, 'perSecondWith64'],
        ],
        needed: 'fewer steps within LanceDB for an index search.',
      },
    },
  ]
}

function named(set: string, windows: number): string {
  return `${windows.toLocaleString('en')} windows, ${set}`
}
