import type { Target } from './target-outcome.js'

const STUB = 'a stub for the model'
/** Of the last two a search is a scan: they have too few windows for an index. */
const LONG_DOCUMENTS = [
  { name: `alcove, 100 MB of text, ${STUB}`, document: `100 MB of text, ${STUB}`, isIndexed: true },
  { name: `alcove, a PDF of 1000 pages, ${STUB}`, document: `a PDF of 1000 pages, ${STUB}`, isIndexed: false },
  { name: 'alcove with its model, 1 MB of text', document: '1 MB of text, with the model', isIndexed: false },
]

/** P4: memory and the event loop while a long document is taken in. */
export const MEMORY_TARGETS: readonly Target[] = LONG_DOCUMENTS.flatMap(({ name, document, isIndexed }): Target[] => {
  const row = { name }
  const busy = isIndexed
    ? 'what reads the file and what builds the index'
    : 'what reads the file and what computes vectors'
  return [
    ...(['First', 'Second'] as const).map(
      (half): Target => ({
        benchmark: 'memory',
        what: `P4 memory, all processes, ${half.toLowerCase()} half of ${document}`,
        path: ['rows', row, `withChildren${half}HalfMb`, 'most'],
        atMost: 1_000,
        unit: 'MB',
        limit: {
          text: `the host itself takes {} MB at the most; the others are the processes that read the file${isIndexed ? ' and build the index' : ''}.`,
          figures: [['rows', row, `host${half}HalfMb`, 'most']],
          needed: isIndexed
            ? 'a host that does not search the table itself while it is written: what Lance keeps of it stays there.'
            : 'a reader of the file, or a model, that takes less.',
        },
      }),
    ),
    {
      benchmark: 'memory',
      what: `P4 memory of the second half beside the first, ${document}`,
      path: ['rows', row, 'secondHalfToFirst', 'most'],
      atMost: 1.15,
      unit: 'times',
      limit: {
        text: `at the median of the rounds the host has {} MB in the first half and {} in the second${isIndexed ? '; the process that builds the index runs more often, and longer, in the second' : ''}.`,
        figures: [
          ['rows', row, 'hostFirstHalfMb'],
          ['rows', row, 'hostSecondHalfMb'],
        ],
        needed: isIndexed
          ? 'a limit of the rows that Lance trains and measures an index with.'
          : 'a longer document, most probably: what is loaded once, the model above all, would be loaded in its first half (not measured).',
      },
    },
    {
      benchmark: 'memory',
      what: `P4 longest work between two turns of the event loop, ${document}`,
      path: ['rows', row, 'longestWorkMs', 'most'],
      atMost: 50,
      unit: 'ms',
      limit: {
        text: 'it is the worst of all rounds, their median is {} ms, the least {}: the time of the thread itself, in which collections of garbage are slower where other programs share the cores.',
        figures: [
          ['rows', row, 'longestWorkMs'],
          ['rows', row, 'longestWorkMs', 'least'],
        ],
      },
    },
    {
      benchmark: 'memory',
      what: `P4 longest time between two turns of the event loop, ${document}`,
      path: ['rows', row, 'longestStopMs', 'most'],
      atMost: 50,
      unit: 'ms',
      limit: {
        text: `it is the worst of all rounds, their median is {} ms; the thread itself computes for {} ms at the most, and else waits for a core: ${busy} keep them busy.`,
        figures: [
          ['rows', row, 'longestStopMs'],
          ['rows', row, 'longestWorkMs', 'most'],
        ],
        needed: 'a core that the host has for itself.',
      },
    },
  ]
})
