/** How a table is written. */
export interface CsvDialect {
  readonly delimiter: string
  /** Characters at the beginning that only say what the delimiter is. */
  readonly preambleLength: number
}

const DELIMITERS = [',', ';', '\t', '|'] as const
const MAX_LINES = 50

/** Guesses by the beginning of a table. Spreadsheet programs write `sep=;` into its first line. */
export function guessDialect(sample: string): CsvDialect {
  const declared = /^"?sep=(.)"?(?:\r\n|\r|\n)/i.exec(sample)
  if (declared?.[1] !== undefined) return { delimiter: declared[1], preambleLength: declared[0].length }
  return { delimiter: guessDelimiter(sample), preambleLength: 0 }
}

/** The delimiter that stands in the first lines most evenly, outside quotes. */
function guessDelimiter(sample: string): string {
  const lines = sample
    .replaceAll(/"[^"]*"/g, '')
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== '')
    .slice(0, MAX_LINES)
  const score = (delimiter: string): number => {
    const counts = lines.map((line) => line.split(delimiter).length - 1)
    const usual = mostFrequent(counts.filter((count) => count > 0))
    const even = counts.filter((count) => count === usual).length
    return usual === 0 ? 0 : (even / lines.length) * (1 + Math.min(usual, 20) / 100)
  }
  return [...DELIMITERS].sort((one, other) => score(other) - score(one))[0] ?? ','
}

function mostFrequent(counts: readonly number[]): number {
  const times = new Map<number, number>()
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1)
  return [...times].sort(([, one], [, other]) => other - one)[0]?.[0] ?? 0
}
