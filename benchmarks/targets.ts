import type { Target } from './target-outcome.js'

const ALCOVE = { name: 'alcove' }
const windowsOf = (set: string, windows: number) => ({ set, windows })
const COUNTING = ['rows', { name: 'alcove: counting alone' }, 'megabytesPerSecond']
const STUB = 'a stub for the model'
const PORT = 'at the index port'

/** What the engine is to reach, by the numbers of the design. */
export const TARGETS: readonly Target[] = [
  {
    benchmark: 'chunking',
    what: 'P1 tokens counted',
    path: COUNTING,
    atLeast: 100,
    unit: 'MB/s',
    limit: {
      text: 'one core at {} MB/s is looking up words in a map, three loads a word; a profile shows a fifth of it in comparing their characters, which makes it exact.',
      figures: [COUNTING],
    },
  },
  {
    benchmark: 'chunking',
    what: 'P1 chunks with boundaries',
    path: ['rows', ALCOVE, 'megabytesPerSecond'],
    atLeast: 50,
    unit: 'MB/s',
    limit: {
      text: 'half of it is counting ({} MB/s alone), as a fifth of the words is in two chunks; the rest is rating places to cut.',
      figures: [COUNTING],
    },
  },
  {
    benchmark: 'embedding',
    what: 'P2 tokens beside the raw session',
    path: ['ratios', 'tokens/s beside the raw session'],
    atLeast: 0.9,
    unit: 'times',
  },
  {
    benchmark: 'embedding',
    what: 'P2 text of the source beside the plain pipeline',
    path: ['ratios', 'kB/s of the source beside the pipeline'],
    atLeast: 3,
    unit: 'times',
    limit: {
      text: 'the adapter runs at {} of the speed of the raw session on its best shape, so the model itself is the limit; and a fifth of each chunk and a quarter of each window are embedded twice, which the pipeline’s pieces are not: of the text that is embedded it is {} times.',
      figures: [
        ['ratios', 'tokens/s beside the raw session'],
        ['ratios', 'kB/s beside the pipeline'],
      ],
    },
  },
  {
    benchmark: 'ingestion',
    what: 'P3 the model’s share of an ingestion',
    path: ['modelShare'],
    atLeast: 0.85,
    unit: 'of the time',
  },
  ...[`100 MB of text, ${STUB}`, `a PDF of 1000 pages, ${STUB}`].flatMap((document): Target[] => [
    ...(['First', 'Second'] as const).map((half): Target => {
      const row = { name: `alcove, ${document}` }
      return {
        benchmark: 'memory',
        what: `P4 memory, all processes, ${half.toLowerCase()} half of ${document}`,
        path: ['rows', row, `withChildren${half}HalfMb`, 'most'],
        atMost: 1_000,
        unit: 'MB',
        limit: {
          text: 'the host itself takes {} MB at the most; the others are the processes that read the file and build the index.',
          figures: [['rows', row, `host${half}HalfMb`, 'most']],
        },
      }
    }),
    {
      benchmark: 'memory',
      what: `P4 longest work between two turns of the event loop, ${document}`,
      path: ['rows', { name: `alcove, ${document}` }, 'longestWorkMs', 'most'],
      atMost: 50,
      unit: 'ms',
    },
  ]),
  ...(['easy', 'hard'] as const).flatMap((set): Target[] => [
    {
      benchmark: 'search',
      what: `P5 recall at 10 of 1,000,000 windows, ${set}`,
      path: [PORT, windowsOf(set, 1_000_000), 'recallAt10'],
      atLeast: 0.99,
      unit: '',
    },
    {
      benchmark: 'search',
      what: `P5 one search in 100,000 windows, ${set}`,
      path: [PORT, windowsOf(set, 100_000), 'p50Ms'],
      atMost: 5,
      unit: 'ms',
      limit: {
        text: 'LanceDB itself takes {} ms for the same search of the same kind of index (IVF_RQ, 200 probes, refine 3).',
        figures: [['kinds of index', { set, kind: 'IVF_RQ, 4 bits', settings: '200 probes, refine 3' }, 'p50Ms']],
      },
    },
    {
      benchmark: 'search',
      what: `P5 one search in 1,000,000 windows, ${set}`,
      path: [PORT, windowsOf(set, 1_000_000), 'p50Ms'],
      atMost: 15,
      unit: 'ms',
    },
    {
      benchmark: 'search',
      what: `P5 searches a second beside exact scans, 100,000 windows, ${set}`,
      path: [PORT, windowsOf(set, 100_000), 'timesTheScan'],
      atLeast: 10,
      unit: 'times',
    },
    {
      benchmark: 'search',
      what: `P5 searches a second beside exact scans, 1,000,000 windows, ${set}`,
      path: [PORT, windowsOf(set, 1_000_000), 'timesTheScan'],
      atLeast: 50,
      unit: 'times',
    },
    {
      benchmark: 'search',
      what: `P5 memory with 64 callers, 1,000,000 windows, ${set}`,
      path: [PORT, windowsOf(set, 1_000_000), 'peakMb'],
      atMost: 1_500,
      unit: 'MB',
    },
  ]),
  { benchmark: 'start', what: 'P6 import to ready', path: ['readyMs'], atMost: 300, unit: 'ms' },
  { benchmark: 'start', what: 'P6 first search', path: ['firstSearchMs'], atMost: 1_000, unit: 'ms' },
  {
    benchmark: 'events',
    what: 'P7 deliveries beside bare POSTs',
    path: ['delivery', 'ratio'],
    atLeast: 0.7,
    unit: 'times',
    limit: {
      text: 'both share two cores with the receivers; the relay makes {} deliveries a second with the one that hangs, {} without it.',
      figures: [
        ['delivery', 'deliveries/s'],
        ['delivery', 'deliveries/s, none hanging'],
      ],
    },
  },
  {
    benchmark: 'events',
    what: 'P7 commit to request',
    path: ['delivery', 'commit to request, p50 ms'],
    atMost: 10,
    unit: 'ms',
  },
  {
    benchmark: 'rest',
    what: 'P8 what HTTP adds to GET /context/{id}',
    path: ['added', { what: 'get' }, 'addedMs'],
    atMost: 1,
    unit: 'ms',
  },
  { benchmark: 'growth', what: 'P9 disk beside a fresh build', path: ['diskTimes'], atMost: 1.5, unit: 'times' },
  { benchmark: 'growth', what: 'P9 search beside a fresh build', path: ['searchTimes'], atMost: 1.1, unit: 'times' },
  {
    benchmark: 'install',
    what: "P10 import 'alcove'",
    path: ['imports', { specifier: 'alcove' }, 'importMs'],
    atMost: 50,
    unit: 'ms',
  },
]
