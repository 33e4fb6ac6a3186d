import { TOLERANCE } from './missed-references.js'
import { SEARCH_TARGETS } from './search-targets.js'
import type { Target } from './target-outcome.js'

const ALCOVE = { name: 'alcove' }
const COUNTING = ['rows', { name: 'alcove: counting alone' }, 'megabytesPerSecond']
const CHUNKING = ['rows', ALCOVE, 'megabytesPerSecond']
const STUB = 'a stub for the model'
const LONG_DOCUMENTS = [
  { name: `alcove, 100 MB of text, ${STUB}`, document: `100 MB of text, ${STUB}` },
  { name: `alcove, a PDF of 1000 pages, ${STUB}`, document: `a PDF of 1000 pages, ${STUB}` },
  { name: 'alcove with its model, 1 MB of text', document: '1 MB of text, with the model' },
]
const A_CORE = 'a core that no other program shares.'

const CHUNKING_TARGETS: readonly Target[] = [
  {
    benchmark: 'chunking',
    what: 'P1 tokens counted',
    path: COUNTING,
    atLeast: 100,
    unit: 'MB/s',
    limit: {
      text: 'one core looks words up in a map, three loads a word; a profile shows a fifth of it in comparing their characters, which makes it exact. The map is as large as what a core caches, so the speed is that of memory, of which the random reads under the table tell. The fastest round made {} MB/s.',
      figures: [[...COUNTING, 'most']],
      needed: A_CORE,
    },
  },
  {
    benchmark: 'chunking',
    what: 'P1 chunks with boundaries',
    path: CHUNKING,
    atLeast: 50,
    unit: 'MB/s',
    limit: {
      text: 'counting alone makes {} MB/s here, and a fifth of the words is in two chunks; the rest is rating places to cut. The fastest round made {} MB/s.',
      figures: [COUNTING, [...CHUNKING, 'most']],
      needed: A_CORE,
    },
  },
  {
    benchmark: 'chunking',
    what: 'P1 chunks beside LangChain with gpt-tokenizer',
    path: ['alcove beside splitters that count tokens', /^LangChain.*gpt-tokenizer/, 'timesAsFast'],
    atLeast: 10,
    unit: 'times',
  },
  {
    benchmark: 'chunking',
    what: 'P1 lines whose tokens are not those of the reference',
    path: ['beside the reference tokenizer', 'linesThatDiffer'],
    atMost: 0,
    unit: '',
  },
  ...[200, 1_000].map(
    (chunkSizeTokens): Target => ({
      benchmark: 'chunking',
      what: `P1 chunks of ${chunkSizeTokens} tokens that have more`,
      path: ['chunks of the same texts', { chunkSizeTokens }, 'tooLarge'],
      atMost: 0,
      unit: '',
    }),
  ),
]

const MODEL_TARGETS: readonly Target[] = [
  ...[
    { what: 'the raw session, 8 texts of 128 tokens', ratio: 'tokens/s beside the raw session' },
    { what: 'a raw session for each core', ratio: 'tokens/s beside a raw session for each core' },
  ].map(
    ({ what, ratio }): Target => ({
      benchmark: 'embedding',
      what: `P2 tokens beside ${what}`,
      path: ['ratios', ratio],
      atLeast: 0.9,
      unit: 'times',
      limit: {
        text: 'a window has up to 254 tokens, and each looks at all of the others: beside raw sessions whose texts are as long it is {} times.',
        figures: [['ratios', 'tokens/s beside those with texts as long as windows']],
        needed: 'shorter windows, of which there would be more.',
      },
    }),
  ),
  {
    benchmark: 'embedding',
    what: 'P2 text of the source beside the plain pipeline',
    path: ['ratios', 'kB/s of the source beside the pipeline'],
    atLeast: 3,
    unit: 'times',
    limit: {
      text: 'the adapter runs at {} of the speed of the raw session, so the model itself is the limit; and a fifth of each chunk and a quarter of each window are embedded twice, which the pipeline’s pieces are not: of the text that is embedded it is {} times.',
      figures: [
        ['ratios', 'tokens/s beside the raw session'],
        ['ratios', 'kB/s beside the pipeline'],
      ],
      needed: 'windows that overlap less, at the cost of what is found (Q1), or a smaller model.',
    },
  },
  {
    benchmark: 'ingestion',
    what: 'P3 the model’s share of an ingestion',
    path: ['modelShare'],
    atLeast: 0.85,
    unit: 'of the time',
    limit: { text: 'the same windows in one call take {} of it.', figures: [['modelAloneShare']], needed: A_CORE },
  },
]

const MEMORY_TARGETS: readonly Target[] = LONG_DOCUMENTS.flatMap(({ name, document }): Target[] => {
  const row = { name }
  return [
    ...(['First', 'Second'] as const).map(
      (half): Target => ({
        benchmark: 'memory',
        what: `P4 memory, all processes, ${half.toLowerCase()} half of ${document}`,
        path: ['rows', row, `withChildren${half}HalfMb`, 'most'],
        atMost: 1_000,
        unit: 'MB',
        limit: {
          text: 'the host itself takes {} MB at the most; the others are the processes that read the file and build the index.',
          figures: [['rows', row, `host${half}HalfMb`, 'most']],
          needed:
            'a host that does not search the table itself while it is written: what Lance keeps of it stays there.',
        },
      }),
    ),
    {
      benchmark: 'memory',
      what: `P4 memory of the second half beside the first, ${document}`,
      path: ['rows', row, 'secondHalfToFirst'],
      atMost: 1.15,
      unit: 'times',
      limit: {
        text: 'the host has {} MB in the first half and {} in the second; the process that builds the index runs more often, and longer, in the second.',
        figures: [
          ['rows', row, 'hostFirstHalfMb'],
          ['rows', row, 'hostSecondHalfMb'],
        ],
        needed: 'a limit of the rows that Lance trains and measures an index with.',
      },
    },
    {
      benchmark: 'memory',
      what: `P4 longest work between two turns of the event loop, ${document}`,
      path: ['rows', row, 'longestWorkMs', 'most'],
      atMost: 50,
      unit: 'ms',
      limit: {
        text: 'it is the worst of all rounds, their median is {} ms, the least {}: the time of the thread itself, in which collections of garbage are slower where other programs share the cores.',
        figures: [
          ['rows', row, 'longestWorkMs'],
          ['rows', row, 'longestWorkMs', 'least'],
        ],
        needed: A_CORE,
      },
    },
  ]
})

const SERVICE_TARGETS: readonly Target[] = [
  {
    benchmark: 'start',
    what: 'P6 import to ready',
    path: ['readyMs'],
    atMost: 300,
    unit: 'ms',
    limit: {
      text: '{} ms of it are `import`, {} in the fastest start.',
      figures: [['importMs'], ['importMs', 'least']],
      needed: A_CORE,
    },
  },
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
      needed: 'more cores: what the relay keeps of each delivery is computed beside the handshakes.',
    },
  },
  {
    benchmark: 'events',
    what: 'P7 deliveries beside those without one that hangs',
    path: ['delivery', 'ratio to none hanging'],
    atLeast: 0.9,
    unit: 'times',
    limit: { text: 'its connections are made, too, and wait for their deadlines.', needed: 'more cores.' },
  },
  {
    benchmark: 'events',
    what: 'P7 commit to request',
    path: ['delivery', 'commit to request, p50 ms'],
    atMost: 10,
    unit: 'ms',
    limit: { text: 'it is a claim in the database, a connection and a handshake.', needed: A_CORE },
  },
  ...[0, 10, 100].map(
    (destinations): Target => ({
      benchmark: 'events',
      what: `P7 recording an event with ${destinations} destinations`,
      path: ['recording', { what: `record an event with ${destinations} destinations` }, 'p50Ms'],
      atMost: 5,
      unit: 'ms',
      limit: {
        text: 'it is a transaction, which takes {} ms with no destination: it waits until the disk has it. Each destination adds a row.',
        figures: [['recording', { what: 'record an event with 0 destinations' }, 'p50Ms']],
        needed: `a disk that answers sooner, and ${A_CORE}`,
      },
    }),
  ),
  ...[
    { asked: 'get', of: 'GET /context/{id}' },
    { asked: 'search', of: 'a search' },
  ].map(
    ({ asked, of }): Target => ({
      benchmark: 'rest',
      what: `P8 what HTTP, routing and authentication add to ${of}`,
      path: ['added', { what: asked }, 'addedMs'],
      atMost: 1,
      unit: 'ms',
      limit: {
        text: 'it is a difference of two medians, of which {} ms are the engine’s.',
        figures: [['added', { what: asked }, 'engineMs']],
        needed: A_CORE,
      },
    }),
  ),
  {
    benchmark: 'rest',
    what: 'P8 all of GET /context/{id} beside a bare handler',
    path: ['added', { what: 'get' }, 'overBareMs'],
    atMost: 1,
    unit: 'ms',
    limit: {
      text: '{} ms of it are the call itself: the live check of who asks, the permission, and the reading.',
      figures: [['added', { what: 'get' }, 'engineMs']],
      needed: A_CORE,
    },
  },
  ...['at the index port', 'through the engine'].flatMap((where): Target[] => [
    {
      benchmark: 'growth',
      what: `P9 disk beside a fresh build, ${where}`,
      path: [where, 'diskTimes'],
      atMost: 1.5,
      unit: 'times',
    },
    {
      benchmark: 'growth',
      what: `P9 search beside a fresh build, ${where}`,
      path: [where, 'searchTimes'],
      atMost: 1.1,
      unit: 'times',
    },
  ]),
  {
    benchmark: 'install',
    what: "P10 import 'alcove'",
    path: ['imports', { specifier: 'alcove' }, 'importMs'],
    atMost: 50,
    unit: 'ms',
    limit: {
      text: '{} modules are loaded; the fastest import took {} ms.',
      figures: [
        ['imports', { specifier: 'alcove' }, 'modules'],
        ['imports', { specifier: 'alcove' }, 'importMs', 'least'],
      ],
      needed: A_CORE,
    },
  },
  {
    benchmark: 'install',
    what: "P10 packages of adapters that import 'alcove' loads",
    path: ['packages of adapters that the core loads'],
    atMost: 0,
    unit: '',
  },
  {
    benchmark: 'retrieval-quality',
    what: 'Q1 the lowest of all scores, less its reference',
    path: ['leastOverReference'],
    atLeast: -TOLERANCE,
    unit: '',
  },
]

/** What the engine is to reach, by the numbers of the design. */
export const TARGETS: readonly Target[] = [
  ...CHUNKING_TARGETS,
  ...MODEL_TARGETS,
  ...MEMORY_TARGETS,
  ...SEARCH_TARGETS,
  ...SERVICE_TARGETS,
]
