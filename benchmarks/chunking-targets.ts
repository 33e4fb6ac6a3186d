import type { Target } from './target-outcome.js'

const COUNTING = ['rows', { name: 'alcove: counting alone' }, 'megabytesPerSecond']
const CHUNKING = ['rows', { name: 'alcove' }, 'megabytesPerSecond']
const BESIDE = ['alcove beside splitters that count tokens']
/** As the first pass in which nothing is done: what a loop over the characters takes. */
export const READING = 'reading each character once, nothing else'

/** P1: chunking, and that its tokens are those of the model. */
export const CHUNKING_TARGETS: readonly Target[] = [
  {
    benchmark: 'chunking',
    what: 'P1 tokens counted',
    path: COUNTING,
    atLeast: 100,
    unit: 'MB/s',
    limit: {
      text: 'reading each character once, and nothing else, makes {} MB/s; counting finds the words, hashes them, looks each up in a map and compares its characters, which makes it exact; the library in Rust that the model was trained with counts {} MB/s. The fastest round made {}.',
      figures: [
        ['rows', { name: READING }, 'megabytesPerSecond'],
        ['rows', /^Hugging Face/, 'megabytesPerSecond'],
        [...COUNTING, 'most'],
      ],
      needed: 'a faster core, or one whose caches no other program shares: the map fills them.',
    },
  },
  {
    benchmark: 'chunking',
    what: 'P1 chunks with boundaries',
    path: CHUNKING,
    atLeast: 50,
    unit: 'MB/s',
    limit: {
      text: 'counting alone makes {} MB/s here; chunks need the place of each word, too, windows over them, and a look at the places where they may be cut. The fastest round made {} MB/s.',
      figures: [COUNTING, [...CHUNKING, 'most']],
      needed: 'faster counting.',
    },
  },
  {
    benchmark: 'chunking',
    what: 'P1 chunks beside LangChain with gpt-tokenizer',
    path: [...BESIDE, /^LangChain.*gpt-tokenizer [\d.]+$/, 'timesAsFast'],
    atLeast: 10,
    unit: 'times',
    limit: {
      text: 'it makes {} MB/s.',
      figures: [['rows', /^LangChain.*gpt-tokenizer [\d.]+$/, 'megabytesPerSecond']],
      needed: 'faster counting.',
    },
  },
  {
    benchmark: 'chunking',
    what: 'P1 chunks beside LangChain with gpt-tokenizer, words met for the first time',
    path: [...BESIDE, /^LangChain.*gpt-tokenizer.*first pass/, 'timesAsFast'],
    atLeast: 10,
    unit: 'times',
    limit: {
      text: 'of the same novels the engine makes {} MB/s, and of texts whose words it has met {}: a word that is new is looked up piece by piece in the vocabulary, once.',
      figures: [['rows', /^alcove: first pass, .*novels/, 'megabytesPerSecond'], CHUNKING],
      needed: 'a map of the frequent words of a language that comes with the model.',
    },
  },
  {
    benchmark: 'chunking',
    what: 'P1 chunks beside LangChain with the engine’s tokenizer',
    path: [...BESIDE, /^LangChain.*this engine's tokenizer$/, 'timesAsFast'],
    atLeast: 10,
    unit: 'times',
    limit: {
      text: 'LangChain counts by the engine’s own map, too, and makes {} MB/s; counting each text once, without cutting it, makes {} MB/s.',
      figures: [['rows', /^LangChain.*this engine's tokenizer$/, 'megabytesPerSecond'], COUNTING],
      needed: 'faster counting, which would make LangChain faster, too.',
    },
  },
  {
    benchmark: 'chunking',
    what: 'P1 lines whose tokens are not those of the reference',
    path: ['beside the reference tokenizer', 'linesThatDiffer'],
    atMost: 0,
    unit: '',
    mustHold: true,
  },
  ...[200, 1_000].map(
    (chunkSizeTokens): Target => ({
      benchmark: 'chunking',
      what: `P1 chunks of ${chunkSizeTokens} tokens that have more`,
      path: ['chunks of the same texts', { chunkSizeTokens }, 'tooLarge'],
      atMost: 0,
      unit: '',
      mustHold: true,
    }),
  ),
]
