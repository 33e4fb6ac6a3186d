import type { Step, Target } from '../harness/target-outcome.js'

const SEARCHES = 'searches meanwhile'
const TIMES = 'beside a fresh ingestion'

function timeOf(model: string): readonly Step[] {
  return [TIMES, { model }, 'timesAsLong']
}

/** The time of a re-index, and of the searches meanwhile. */
export const REINDEX_TARGETS: readonly Target[] = [
  {
    benchmark: 'reindex',
    what: 'a re-index beside a fresh ingestion, a stub for the model',
    path: timeOf('stub'),
    atMost: 1.1,
    unit: 'times as long',
    limit: {
      text: 'the job of the context waits for the jobs of its documents, and one transaction changes all rows.',
    },
  },
  {
    benchmark: 'reindex',
    what: 'a re-index beside a fresh ingestion, the default model',
    path: timeOf('default'),
    atMost: 1.1,
    unit: 'times as long',
    limit: { text: 'the model computes the same windows in both.' },
  },
  {
    benchmark: 'reindex',
    what: 'p99 of searches during a re-index, beside the same searches before it',
    path: [SEARCHES, 'p99Times'],
    atMost: 3,
    unit: 'times as long',
    limit: { text: 'a question waits for the batch of windows that its core embeds.' },
  },
]
