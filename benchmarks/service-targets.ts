import type { Target } from './target-outcome.js'

/** P6 to P10 and Q1: start, events, REST, growth, installation and what is found. */
export const SERVICE_TARGETS: readonly Target[] = [
  {
    benchmark: 'start',
    what: 'P6 import to ready',
    path: ['readyMs'],
    atMost: 300,
    unit: 'ms',
    limit: {
      text: '{} ms of it are `import`, {} in the fastest start.',
      figures: [['importMs'], ['importMs', 'least']],
    },
  },
  {
    benchmark: 'start',
    what: 'P6 first search',
    path: ['firstSearchMs'],
    atMost: 1_000,
    unit: 'ms',
    limit: { text: 'it loads the model, whose weights are read and made ready for the processor.' },
  },
  {
    benchmark: 'events',
    what: 'P7 deliveries beside bare POSTs',
    path: ['delivery', 'ratio'],
    atLeast: 0.7,
    unit: 'times',
    limit: {
      text: 'both share the cores with the receivers; the relay makes {} deliveries a second with the one that hangs, {} without it.',
      figures: [
        ['delivery', 'deliveries/s'],
        ['delivery', 'deliveries/s, none hanging'],
      ],
      needed: 'more cores: what the relay keeps of each delivery is computed beside the handshakes.',
    },
  },
  {
    benchmark: 'events',
    what: 'P7 deliveries beside bare POSTs that resume TLS sessions, as the relay does',
    path: ['delivery', 'ratio to those that resume'],
    atLeast: 0.7,
    unit: 'times',
    limit: {
      text: 'those send {} requests a second and keep nothing; the relay makes {} deliveries of the same cores, each of which is claimed, signed, and kept with its outcome in the database.',
      figures: [
        ['delivery', 'bare POSTs/s that resume TLS sessions'],
        ['delivery', 'deliveries/s'],
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
    limit: { text: 'it is a claim in the database, a connection and a handshake.' },
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
        needed: 'a disk that answers sooner.',
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
        text: 'over HTTP it takes {} ms, of which the same call in the process takes {}, and a bare handler {}; the difference is from {} to {} ms from round to round.',
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
    what: 'P8 all of GET /context/{id} beside a bare handler',
    path: ['added', { what: 'get' }, 'overBareMs'],
    atMost: 1,
    unit: 'ms',
    limit: {
      text: '{} ms of it are the call itself: the live check of who asks, the permission, and the reading.',
      figures: [['added', { what: 'get' }, 'engineMs']],
    },
  },
  ...['at the index port', 'through the engine'].flatMap((where): Target[] => [
    {
      benchmark: 'growth',
      what: `P9 disk beside a fresh build, ${where}`,
      path: [where, 'diskTimes'],
      atMost: 1.5,
      unit: 'times',
      limit: {
        text: 'from {} to {} times from round to round: what stays is an old version, which goes with the compaction after the next write.',
        figures: [
          [where, 'diskTimes', 'least'],
          [where, 'diskTimes', 'most'],
        ],
        needed: 'compactions that leave nothing behind.',
      },
    },
    {
      benchmark: 'growth',
      what: `P9 search beside a fresh build, ${where}`,
      path: [where, 'searchTimes'],
      atMost: 1.1,
      unit: 'times',
      limit: {
        text: '{} ms beside {}: what small writes and deletions leave are more fragments, and rows that each search passes over.',
        figures: [
          [where, 'searchP50Ms'],
          [where, 'freshSearchP50Ms'],
        ],
        needed: 'compactions that leave as few fragments as one write makes.',
      },
    },
  ]),
  {
    benchmark: 'install',
    what: "P10 import 'alcove'",
    path: ['imports', { specifier: 'alcove' }, 'importMs'],
    atMost: 50,
    unit: 'ms',
    limit: {
      text: '{} modules are loaded, and the library of schemas is in them, which from its own {} modules takes {} ms by itself; a module with nothing in it takes {} ms. The fastest import took {} ms.',
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
    what: "P10 packages of adapters that import 'alcove' loads",
    path: ['packages of adapters that the core loads'],
    atMost: 0,
    unit: '',
    mustHold: true,
  },
]
