import type { Step, Target } from '../harness/target-outcome.js'

const WORST = 'the worst filter'
const SIZES = [1_000, 100_000]

/** No filter makes a search slow, and none makes it miss what it would find. */
export const FILTER_TARGETS: readonly Target[] = SIZES.flatMap((windows): Target[] => {
  const size = `${windows.toLocaleString('en')} windows`
  const at = (figure: string): readonly Step[] => [WORST, { windows }, figure]
  return [
    {
      benchmark: 'filters',
      what: `time of the vector index beside a search without a filter, ${size}`,
      path: at('vectorsRatio'),
      atMost: 3,
      unit: 'times',
      limit: {
        text: 'the index reads every partition for a filter that few documents of a large context pass.',
        needed: 'an index that skips the rows of other documents.',
      },
    },
    {
      benchmark: 'filters',
      what: `share of the exact answers that the vector index finds, ${size}`,
      path: at('vectorsRecall'),
      atLeast: 0.99,
      unit: '',
      mustHold: true,
    },
    {
      benchmark: 'filters',
      what: `time of the word index beside a search without a filter, ${size}`,
      path: at('wordsRatio'),
      atMost: 3,
      unit: 'times',
      limit: {
        text: 'the index looks up more of the best chunks until enough of them pass.',
        needed: 'a list of the chunks of each document in memory.',
      },
    },
    {
      benchmark: 'filters',
      what: `share of the best hits that the word index finds, ${size}`,
      path: at('wordsRecall'),
      atLeast: 1,
      unit: '',
      mustHold: true,
    },
  ]
})
