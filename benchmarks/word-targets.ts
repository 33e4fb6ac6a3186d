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
  {
    benchmark: 'words',
    what: 'what words add to a search, 100,000 chunks',
    path: [SEARCHES, { about: 100_000 }, 'addedMs'],
    atMost: 4,
    unit: 'ms',
    limit: {
      text: 'a search by meaning alone takes {} ms, one by words alone {}.',
      figures: [
        [SEARCHES, { about: 100_000 }, 'semanticP50Ms'],
        [SEARCHES, { about: 100_000 }, 'keywordP50Ms'],
      ],
    },
  },
  {
    benchmark: 'words',
    what: 'memory with 64 callers by words and meaning, 100,000 chunks',
    path: [SEARCHES, { about: 100_000 }, 'peakMb'],
    atMost: 1_500,
    unit: 'MB',
    limit: { text: 'Lance keeps what it has read of both indexes.' },
  },
]
