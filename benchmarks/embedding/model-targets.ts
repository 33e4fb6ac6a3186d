import type { Target } from '../harness/target-outcome.js'

/** P2 and P3: the model's speed, and its share of the ingestion time. */
export const MODEL_TARGETS: readonly Target[] = [
  ...[
    { what: 'the raw session, 8 texts of 128 tokens', ratio: 'tokens/s beside the raw session' },
    { what: 'a raw session for each core', ratio: 'tokens/s beside a raw session for each core' },
  ].map(
    ({ what, ratio }): Target => ({
      benchmark: 'embedding',
      what: `tokens a second, beside ${what}`,
      path: ['ratios', ratio],
      atLeast: 0.9,
      unit: 'times',
      limit: {
        text: 'a window has up to 254 tokens, and the model compares each of them with all others. Beside raw sessions with texts of the same length, the ratio is {}.',
        figures: [['ratios', 'tokens/s beside those with texts as long as windows']],
        needed: 'shorter windows, and more of them.',
      },
    }),
  ),
  {
    benchmark: 'embedding',
    what: 'source text a second, beside the plain pipeline',
    path: ['ratios', 'kB/s of the source beside the pipeline'],
    atLeast: 3,
    unit: 'times',
    limit: {
      text: 'the raw session computes {} tokens a second, and the pipeline {}. The adapter reaches {} times the speed of the raw session. Chunks and windows overlap, so that it embeds up to a fifth of each chunk and a quarter of each window twice. The pieces of the pipeline do not overlap. If repeated text counts too, the ratio is {}.',
      figures: [
        ['figures', /^the raw ONNX session/, 'tokensPerSecond'],
        ['figures', /^transformers\.js/, 'tokensPerSecond'],
        ['ratios', 'tokens/s beside the raw session'],
        ['ratios', 'kB/s beside the pipeline'],
      ],
      needed: 'windows that overlap less, at the cost of the quality of searches, or a smaller model.',
    },
  },
  {
    benchmark: 'ingestion',
    what: 'the model’s share of an ingestion',
    path: ['modelShare'],
    atLeast: 0.85,
    unit: 'of the time',
    limit: {
      text: 'one call with the same windows takes {} of the time. The rest is other work beside the model, and the time before the first window and after the last one.',
      figures: [['modelAloneShare']],
    },
  },
]
