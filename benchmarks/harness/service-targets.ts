import type { Target } from './target-outcome.js'

/** P6 to P10: start, events, REST, growth and installation. */
export const SERVICE_TARGETS: readonly Target[] = [
  {
    benchmark: 'start',
    what: 'from import to ready',
    path: ['readyMs'],
    atMost: 300,
    unit: 'ms',
    limit: {
      text: '`import` takes {} ms of it, and {} ms in the fastest start.',
      figures: [['importMs'], ['importMs', 'least']],
    },
  },
  {
    benchmark: 'start',
    what: 'first search',
    path: ['firstSearchMs'],
    atMost: 1_000,
    unit: 'ms',
    limit: { text: 'the first search loads the model: it reads the weights, and prepares them for the processor.' },
  },
  {
    benchmark: 'events',
    what: 'deliveries a second, beside bare POSTs',
    path: ['delivery', 'ratio'],
    atLeast: 0.7,
    unit: 'times',
    limit: {
      text: 'both share the cores with the receivers. The relay makes {} deliveries a second with the destination that hangs, and {} without it.',
      figures: [
        ['delivery', 'deliveries/s'],
        ['delivery', 'deliveries/s, none hanging'],
      ],
      needed: 'more cores: the relay stores each delivery while it makes the handshakes.',
    },
  },
  {
    benchmark: 'events',
    what: 'deliveries a second, beside bare POSTs that resume TLS sessions as the relay does',
    path: ['delivery', 'ratio to those that resume'],
    atLeast: 0.7,
    unit: 'times',
    limit: {
      text: 'the bare POSTs send {} requests a second, and store nothing. The relay makes {} deliveries a second on the same cores. It claims and signs each delivery, and stores its outcome in the database.',
      figures: [
        ['delivery', 'bare POSTs/s that resume TLS sessions'],
        ['delivery', 'deliveries/s'],
      ],
      needed: 'more cores: the relay stores each delivery while it makes the handshakes.',
    },
  },
  {
    benchmark: 'events',
    what: 'deliveries a second, beside deliveries without a destination that hangs',
    path: ['delivery', 'ratio to none hanging'],
    atLeast: 0.9,
    unit: 'times',
    limit: {
      text: 'the relay also connects to the destination that hangs, and these connections wait for their deadlines.',
      needed: 'more cores.',
    },
  },
  {
    benchmark: 'events',
    what: 'from commit to request',
    path: ['delivery', 'commit to request, p50 ms'],
    atMost: 10,
    unit: 'ms',
    limit: { text: 'this time includes a claim in the database, a connection and a handshake.' },
  },
  ...[0, 10, 100].map(
    (destinations): Target => ({
      benchmark: 'events',
      what: `recording an event with ${destinations} destinations`,
      path: ['recording', { what: `record an event with ${destinations} destinations` }, 'p50Ms'],
      atMost: 5,
      unit: 'ms',
      limit: {
        text: 'recording is a transaction, which takes {} ms with no destination, because it waits for the disk. Each destination adds a row.',
        figures: [['recording', { what: 'record an event with 0 destinations' }, 'p50Ms']],
        needed: 'a faster disk.',
      },
    }),
  ),
  ...[
    { asked: 'get', of: 'GET /context/{id}' },
    { asked: 'search', of: 'a search' },
  ].map(
    ({ asked, of }): Target => ({
      benchmark: 'rest',
      what: `time that HTTP, routing and authentication add to ${of}`,
      path: ['added', { what: asked }, 'addedMs'],
      atMost: 1,
      unit: 'ms',
      limit: {
        text: 'the call over HTTP takes {} ms. The same call in the process takes {} ms of it, and a bare handler {} ms. The difference is {} to {} ms, depending on the round.',
        figures: [
          ['added', { what: asked }, 'restMs'],
          ['added', { what: asked }, 'engineMs'],
          ['added', { what: asked }, 'bareMs'],
          ['added', { what: asked }, 'addedMs', 'least'],
          ['added', { what: asked }, 'addedMs', 'most'],
        ],
      },
    }),
  ),
  {
    benchmark: 'rest',
    what: 'time that the whole of GET /context/{id} adds to a bare handler',
    path: ['added', { what: 'get' }, 'overBareMs'],
    atMost: 1,
    unit: 'ms',
    limit: {
      text: 'the call itself takes {} ms of it: the check of the principal and of its permission, and the read.',
      figures: [['added', { what: 'get' }, 'engineMs']],
    },
  },
  ...['at the index port', 'through the engine'].flatMap((where): Target[] => [
    {
      benchmark: 'growth',
      what: `disk, beside a fresh build, ${where}`,
      path: [where, 'diskTimes'],
      atMost: 1.5,
      unit: 'times',
      limit: {
        text: 'the ratio is {} to {}, depending on the round. An old version remains until the compaction after the next write.',
        figures: [
          [where, 'diskTimes', 'least'],
          [where, 'diskTimes', 'most'],
        ],
        needed: 'compactions that remove all old versions.',
      },
    },
    {
      benchmark: 'growth',
      what: `search, beside a fresh build, ${where}`,
      path: [where, 'searchTimes'],
      atMost: 1.1,
      unit: 'times',
      limit: {
        text: 'a search takes {} ms, and {} ms in the fresh build. Small writes and deletions leave more fragments, and rows that each search skips.',
        figures: [
          [where, 'searchP50Ms'],
          [where, 'freshSearchP50Ms'],
        ],
        needed: 'compactions that leave as few fragments as a single write.',
      },
    },
  ]),
  {
    benchmark: 'install',
    what: "import 'alcove'",
    path: ['imports', { specifier: 'alcove' }, 'importMs'],
    atMost: 50,
    unit: 'ms',
    limit: {
      text: 'the import loads {} modules. They include zod, whose {} modules alone take {} ms. An empty module takes {} ms. The fastest import took {} ms.',
      figures: [
        ['imports', { specifier: 'alcove' }, 'modules'],
        ['imports', { specifier: 'zod' }, 'modules'],
        ['imports', { specifier: 'zod' }, 'importMs'],
        ['imports', { specifier: 'data:text/javascript,' }, 'importMs'],
        ['imports', { specifier: 'alcove' }, 'importMs', 'least'],
      ],
    },
  },
  {
    benchmark: 'install',
    what: "packages of adapters that import 'alcove' loads",
    path: ['packages of adapters that the core loads'],
    atMost: 0,
    unit: '',
    mustHold: true,
  },
]
