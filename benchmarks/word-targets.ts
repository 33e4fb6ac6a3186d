import type { Target } from './target-outcome.js'

const SEARCHES = 'searches by mode'

/** How soon words are found, and what they add to a search. */
export const WORD_TARGETS: readonly Target[] = [
  {
    benchmark: 'words',
    what: 'from upload to findable by words, 10 MB of text',
    path: ['from upload to findable', { megabytes: 10 }, 'findableMs'],
    atMost: 3_000,
    unit: 'ms',
    limit: { text: 'the text is extracted, cut into chunks, stored and indexed, by one thread.' },
  },
  ...[
    { about: 100_000, atMost: 4 },
    { about: 1_000_000, atMost: 8 },
  ].flatMap(({ about, atMost }): Target[] => [
    {
      benchmark: 'words',
      what: `what words add to a search, ${about.toLocaleString('en')} chunks`,
      path: [SEARCHES, { about }, 'addedMs'],
      atMost,
      unit: 'ms',
      limit: {
        text: 'a search by meaning alone takes {} ms, one by words alone {}.',
        figures: [
          [SEARCHES, { about }, 'semanticP50Ms'],
          [SEARCHES, { about }, 'keywordP50Ms'],
        ],
      },
    },
    {
      benchmark: 'words',
      what: `memory with 64 callers by words and meaning, ${about.toLocaleString('en')} chunks`,
      path: [SEARCHES, { about }, 'peakMb'],
      atMost: 1_500,
      unit: 'MB',
      limit: { text: 'Lance keeps what it has read of both indexes.' },
    },
  ]),
]
