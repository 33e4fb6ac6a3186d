import type { Target } from '../harness/target-outcome.js'

const STUB = 'a stub for the model'
/** The last two have too few windows for an index, so that a search of them is a scan. */
const LONG_DOCUMENTS = [
  { name: `alcove, 100 MB of text, ${STUB}`, document: `100 MB of text, ${STUB}`, isIndexed: true },
  { name: `alcove, a PDF of 1000 pages, ${STUB}`, document: `a PDF of 1000 pages, ${STUB}`, isIndexed: false },
  { name: 'alcove with its model, 1 MB of text', document: '1 MB of text, with the model', isIndexed: false },
]

/** P4: memory and the event loop during the ingestion of a long document. */
export const MEMORY_TARGETS: readonly Target[] = LONG_DOCUMENTS.flatMap(({ name, document, isIndexed }): Target[] => {
  const row = { name }
  const busy = isIndexed
    ? 'the processes that read the file and build the index'
    : 'the process that reads the file and the threads that compute vectors'
  return [
    ...(['First', 'Second'] as const).map(
      (half): Target => ({
        benchmark: 'memory',
        what: `memory of all processes, ${half.toLowerCase()} half of ${document}`,
        path: ['rows', row, `withChildren${half}HalfMb`, 'most'],
        atMost: 1_000,
        unit: 'MB',
        limit: {
          text: `the host itself takes up to {} MB. The processes that read the file${isIndexed ? ' and build the index' : ''} take the rest.`,
          figures: [['rows', row, `host${half}HalfMb`, 'most']],
          needed: isIndexed
            ? 'a host that does not search the table during the ingestion: Lance keeps the data that it has read in the host’s memory.'
            : 'a reader or a model that takes less memory.',
        },
      }),
    ),
    {
      benchmark: 'memory',
      what: `memory in the second half beside the first, ${document}`,
      path: ['rows', row, 'secondHalfToFirst', 'most'],
      atMost: 1.15,
      unit: 'times',
      limit: {
        text: `the median of the host is {} MB in the first half, and {} MB in the second.${isIndexed ? ' In the second half the process that builds the index runs more often and longer.' : ''}`,
        figures: [
          ['rows', row, 'hostFirstHalfMb'],
          ['rows', row, 'hostSecondHalfMb'],
        ],
        needed: isIndexed
          ? 'a limit of the rows with which Lance trains and measures an index.'
          : 'probably a longer document, so that the model and everything else that is loaded once is loaded in its first half (not measured).',
      },
    },
    {
      benchmark: 'memory',
      what: `longest work between two turns of the event loop, ${document}`,
      path: ['rows', row, 'longestWorkMs', 'most'],
      atMost: 50,
      unit: 'ms',
      limit: {
        text: 'this is the worst round. The median of the rounds is {} ms, the lowest {} ms. It is the time of the thread itself, and garbage collections are slower while other programs use the cores.',
        figures: [
          ['rows', row, 'longestWorkMs'],
          ['rows', row, 'longestWorkMs', 'least'],
        ],
      },
    },
    {
      benchmark: 'memory',
      what: `longest time between two turns of the event loop, ${document}`,
      path: ['rows', row, 'longestStopMs', 'most'],
      atMost: 50,
      unit: 'ms',
      limit: {
        text: `this is the worst round. The median of the rounds is {} ms. The thread itself computes for up to {} ms, and waits for a core in the rest of the time: ${busy} use all cores.`,
        figures: [
          ['rows', row, 'longestStopMs'],
          ['rows', row, 'longestWorkMs', 'most'],
        ],
        needed: 'a core for the host alone.',
      },
    },
  ]
})
