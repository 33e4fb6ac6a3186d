/** Characters of a corpus, from `start` to before `end`. */
export interface CharacterRange {
  readonly corpus: string
  readonly start: number
  readonly end: number
}

/** Counts the characters that lie in at least one of the ranges. */
export function coveredCharacters(ranges: readonly CharacterRange[]): number {
  const sorted = [...ranges].sort((one, other) => one.corpus.localeCompare(other.corpus) || one.start - other.start)
  let covered = 0
  let corpus = ''
  let reached = 0
  for (const range of sorted) {
    if (range.corpus !== corpus) {
      corpus = range.corpus
      reached = 0
    }
    covered += Math.max(0, range.end - Math.max(range.start, reached))
    reached = Math.max(reached, range.end)
  }
  return covered
}

/** The parts that two sets of ranges have in common. */
export function intersection(ones: readonly CharacterRange[], others: readonly CharacterRange[]): CharacterRange[] {
  const common: CharacterRange[] = []
  for (const one of ones) {
    for (const other of others) {
      const start = Math.max(one.start, other.start)
      const end = Math.min(one.end, other.end)
      if (one.corpus === other.corpus && start < end) common.push({ corpus: one.corpus, start, end })
    }
  }
  return common
}
