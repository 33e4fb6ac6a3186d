/** The notation of a table. */
export interface CsvDialect {
  readonly delimiter: string
  /** The length of a first line that only declares the delimiter. */
  readonly preambleLength: number
}

const DELIMITERS = [',', ';', '\t', '|'] as const
const MAX_LINES = 50

/** Guesses the dialect from the beginning of a table. Spreadsheet programs may write `sep=;` into the first line. */
export function guessDialect(sample: string): CsvDialect {
  const declared = /^"?sep=(.)"?(?:\r\n|\r|\n)/i.exec(sample)
  if (declared?.[1] !== undefined) return { delimiter: declared[1], preambleLength: declared[0].length }
  return { delimiter: guessDelimiter(sample), preambleLength: 0 }
}

/** The delimiter whose number, outside quotes, is the same in the most of the first lines. */
function guessDelimiter(sample: string): string {
  const lines = sample
    .replaceAll(/"[^"]*"/g, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, MAX_LINES)
  const score = (delimiter: string): number => {
    const counts = lines.map((line) => line.split(delimiter).length - 1)
    const usualCount = mostFrequent(counts.filter((count) => count > 0))
    const usualLines = counts.filter((count) => count === usualCount).length
    return usualCount === 0 ? 0 : (usualLines / lines.length) * (1 + Math.min(usualCount, 20) / 100)
  }
  return [...DELIMITERS].sort((first, second) => score(second) - score(first))[0] ?? ','
}

function mostFrequent(counts: readonly number[]): number {
  const times = new Map<number, number>()
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1)
  return [...times].sort(([, first], [, second]) => second - first)[0]?.[0] ?? 0
}
