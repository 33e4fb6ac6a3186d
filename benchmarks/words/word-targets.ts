import type { Target } from '../harness/target-outcome.js'

const SEARCHES = 'searches by mode'

/** The time until words are found, and the time that words add to a search. */
export const WORD_TARGETS: readonly Target[] = [
  {
    benchmark: 'words',
    what: 'from upload to findable by words, 10 MB of text',
    path: ['from upload to findable', { megabytes: 10 }, 'findableMs'],
    atMost: 3_000,
    unit: 'ms',
    limit: { text: 'one thread extracts the text, cuts it into chunks, stores them and indexes their words.' },
  },
  {
    benchmark: 'words',
    what: 'time that words add to a search, 100,000 chunks',
    path: [SEARCHES, { about: 100_000 }, 'addedMs'],
    atMost: 4,
    unit: 'ms',
    limit: {
      text: 'a search by meaning alone takes {} ms, and a search by words alone {} ms.',
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
    limit: { text: 'Lance keeps the parts of the vector index that it has read.' },
  },
]
