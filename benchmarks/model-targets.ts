import type { Target } from './target-outcome.js'

/** P2 and P3: the model's speed, and its share of the time. */
export const MODEL_TARGETS: readonly Target[] = [
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
      text: 'the raw session makes {} tokens a second, the pipeline {}, and the adapter {} times the first; and up to a fifth of each chunk and a quarter of each window are embedded twice, which the pipeline’s pieces are not: of the text that is embedded it is {} times.',
      figures: [
        ['figures', /^the raw ONNX session/, 'tokensPerSecond'],
        ['figures', /^transformers\.js/, 'tokensPerSecond'],
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
    limit: {
      text: 'in one call the same windows take {} of the time: the rest is what computes beside the model, and what goes before the first window of a document and behind the last.',
      figures: [['modelAloneShare']],
    },
  },
]
