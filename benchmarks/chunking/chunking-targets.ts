import type { Target } from '../harness/target-outcome.js'

const COUNTING = ['rows', { name: 'alcove: counting alone' }, 'megabytesPerSecond']
const CHUNKING = ['rows', { name: 'alcove' }, 'megabytesPerSecond']
const BESIDE = ['alcove beside splitters that count tokens']
/** Name of the row with a bare loop over the characters: a lower limit for each splitter's time. */
export const READING = 'reading each character once, nothing else'

/** P1: the speed of chunking, and its exactness beside the reference tokenizer. */
export const CHUNKING_TARGETS: readonly Target[] = [
  {
    benchmark: 'chunking',
    what: 'counting tokens',
    path: COUNTING,
    atLeast: 100,
    unit: 'MB/s',
    limit: {
      text: 'a bare loop over the characters reaches {} MB/s. Counting also finds the words, hashes them, finds each word in a map and compares its characters, so that the result is exact. The Rust library that the model was trained with counts {} MB/s. The fastest round reached {}.',
      figures: [
        ['rows', { name: READING }, 'megabytesPerSecond'],
        ['rows', /^Hugging Face/, 'megabytesPerSecond'],
        [...COUNTING, 'most'],
      ],
      needed: 'a faster core, or a core with caches that no other program uses: the map fills them.',
    },
  },
  {
    benchmark: 'chunking',
    what: 'cutting at boundaries',
    path: CHUNKING,
    atLeast: 50,
    unit: 'MB/s',
    limit: {
      text: 'counting alone reaches {} MB/s here. Cutting also needs the place of each word, the windows, and a search for the best place to cut. The fastest round reached {} MB/s.',
      figures: [COUNTING, [...CHUNKING, 'most']],
      needed: 'faster counting.',
    },
  },
  {
    benchmark: 'chunking',
    what: 'cutting, beside LangChain with gpt-tokenizer',
    path: [...BESIDE, /^LangChain.*gpt-tokenizer [\d.]+$/, 'timesAsFast'],
    atLeast: 10,
    unit: 'times',
    limit: {
      text: 'LangChain reaches {} MB/s.',
      figures: [['rows', /^LangChain.*gpt-tokenizer [\d.]+$/, 'megabytesPerSecond']],
      needed: 'faster counting.',
    },
  },
  {
    benchmark: 'chunking',
    what: 'cutting, beside LangChain with gpt-tokenizer, first pass',
    path: [...BESIDE, /^LangChain.*gpt-tokenizer.*first pass/, 'timesAsFast'],
    atLeast: 10,
    unit: 'times',
    limit: {
      text: 'the engine cuts these novels at {} MB/s, and texts with known words at {} MB/s. It searches the vocabulary for each new word once, piece by piece.',
      figures: [['rows', /^alcove: first pass, .*novels/, 'megabytesPerSecond'], CHUNKING],
      needed: 'a map of frequent words that comes with the model.',
    },
  },
  {
    benchmark: 'chunking',
    what: 'cutting, beside LangChain with the engine’s tokenizer',
    path: [...BESIDE, /^LangChain.*this engine's tokenizer$/, 'timesAsFast'],
    atLeast: 10,
    unit: 'times',
    limit: {
      text: 'LangChain also counts with the engine’s map, and reaches {} MB/s. Counting each text once, without cutting it, reaches {} MB/s.',
      figures: [['rows', /^LangChain.*this engine's tokenizer$/, 'megabytesPerSecond'], COUNTING],
      needed: 'faster counting, which would make LangChain faster too.',
    },
  },
  {
    benchmark: 'chunking',
    what: 'lines with other tokens than the reference',
    path: ['beside the reference tokenizer', 'linesThatDiffer'],
    atMost: 0,
    unit: '',
    mustHold: true,
  },
  ...[200, 1_000].map(
    (chunkSizeTokens): Target => ({
      benchmark: 'chunking',
      what: `chunks of ${chunkSizeTokens} tokens that are too large`,
      path: ['chunks of the same texts', { chunkSizeTokens }, 'tooLarge'],
      atMost: 0,
      unit: '',
      mustHold: true,
    }),
  ),
]
