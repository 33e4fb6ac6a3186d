import { isExpected } from '../documents/expected-outcomes.js'
import { encodingOf } from '../references/charset-reference.js'
import { type Outcome, plainScoresOf, type Summary, scoresOf, summary } from './extraction-outcome.js'

/** A figure that the extraction must reach. */
interface Figure {
  readonly what: string
  readonly type: string
  readonly measure: string
  readonly mean?: number
  readonly goodShare?: number
  /** Selects the documents of the figure. Default: all documents of the type. */
  readonly covers?: (outcome: Outcome) => boolean
}

const isOfChardet = ({ file }: Outcome): boolean => file.includes('__')
/** True for a document that exists in both formats. Other pairs of files only share a name. */
const isTwin = ({ tag }: Outcome): boolean => tag === 'doc-docx-twin'
const isUnicode = ({ file }: Outcome): boolean => /^utf-?(8|16)/.test(encodingOf(file) ?? '')
/** True for a format that only shares its file extension with one that the engine reads. */
const isOtherFormat = ({ code }: Outcome): boolean => code === 'ERR_UNSUPPORTED_FORMAT' || code === 'ERR_WRONG_TYPE'

const FIGURES: readonly Figure[] = [
  { what: '.pdf beside pdftotext', type: 'pdf', measure: 'pdftotext', mean: 0.985, goodShare: 0.92 },
  { what: '.pdf, expected texts', type: 'pdf', measure: 'expected', mean: 0.97, goodShare: 0.92 },
  { what: '.docx, body', type: 'docx', measure: 'body', mean: 0.995 },
  { what: '.docx, all parts', type: 'docx', measure: 'all parts', mean: 0.985 },
  { what: '.docx, expected texts', type: 'docx', measure: 'expected', mean: 0.98 },
  { what: '.doc, all parts', type: 'doc', measure: 'all parts', mean: 0.98, covers: (one) => !isOtherFormat(one) },
  { what: '.doc with a twin in .docx', type: 'doc', measure: 'twin', mean: 0.995, covers: isTwin },
  {
    what: '.txt of other collections than chardet',
    type: 'txt',
    measure: 'letters',
    mean: 0.92,
    covers: (one) => !isOfChardet(one),
  },
  { what: ".txt of chardet's tests", type: 'txt', measure: 'letters', mean: 0.95, covers: isOfChardet },
  { what: '.txt in UTF-8 and UTF-16', type: 'txt', measure: 'letters', mean: 1, covers: isUnicode },
  { what: '.csv, rows', type: 'csv', measure: 'rows', mean: 0.98 },
  { what: '.md, bytes', type: 'md', measure: 'bytes', mean: 1 },
]

export interface FigureRow extends Summary {
  readonly figure: string
  readonly toReach: string
  /** The mean and the share of good files for each plain library. */
  readonly plain: string
}

/** Each figure with the engine's result, and the results of plain libraries. */
export function figureRows(outcomes: readonly Outcome[]): FigureRow[] {
  return FIGURES.map((figure) => {
    const covered = coveredBy(figure, outcomes)
    const libraries = [...new Set(covered.flatMap(({ plain }) => plain.map(({ library }) => library)))]
    const plain = libraries.map((library) => {
      const { references, mean, goodShare } = summary(plainScoresOf(covered, library, figure.measure))
      return `${library}: ${mean ?? '-'}, ${goodShare ?? '-'} good of ${references}`
    })
    const toReach = [figure.mean, figure.goodShare].filter((value) => value !== undefined).join(', ')
    return { figure: figure.what, toReach, ...summary(scoresOf(covered, figure.measure)), plain: plain.join('; ') }
  })
}

/** A sentence for each figure that is missed. A figure without references does not count. */
export function missedFigures(outcomes: readonly Outcome[]): string[] {
  const missed = FIGURES.flatMap((figure) => {
    const { references, mean, goodShare } = summary(scoresOf(coveredBy(figure, outcomes), figure.measure))
    if (references === 0) return []
    const isMissed = (reached: number | null, wanted: number | undefined): boolean => (reached ?? 0) < (wanted ?? 0)
    return [
      ...(isMissed(mean, figure.mean) ? [`${figure.what}: the mean is ${mean}, not ${figure.mean}`] : []),
      ...(isMissed(goodShare, figure.goodShare)
        ? [`${figure.what}: ${goodShare} of the files have at least 0.98, not ${figure.goodShare}`]
        : []),
    ]
  })
  const unexplained = outcomes.filter(({ file, tag, code }) => !isExpected(file, tag, code))
  return [...missed, ...unexplained.map(({ file, tag, code }) => `${file} (${tag}) ended with ${code}`)]
}

function coveredBy({ type, covers = () => true }: Figure, outcomes: readonly Outcome[]): Outcome[] {
  return outcomes.filter((outcome) => outcome.type === type && covers(outcome))
}
