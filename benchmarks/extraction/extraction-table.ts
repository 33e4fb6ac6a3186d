import { type Outcome, type Summary, scoresOf, summary } from './extraction-outcome.js'

/** The documents of one type and tag. */
export interface GroupRow extends Summary {
  readonly group: string
  readonly files: number
  readonly completed: number
  /** Error codes, each with its number of documents. */
  readonly refused: string
  /** The measure of the scores. */
  readonly measure: string
  /** The engine's time for the files that the plain library completed. */
  readonly ms: number
  readonly plainCompleted: number
  readonly plainMean: number | null
  /** The library's time for the same files, without the start of its process. */
  readonly plainMs: number
  readonly plainPeakMb: number | null
}

/** Outcomes and scores by type and tag, beside the first library of the type. */
export function groupRows(outcomes: readonly Outcome[]): GroupRow[] {
  const groups = new Map<string, Outcome[]>()
  for (const outcome of outcomes) {
    const name = `${outcome.type} ${outcome.tag}`
    groups.set(name, [...(groups.get(name) ?? []), outcome])
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([group, members]) => rowOf(group, members))
}

function rowOf(group: string, members: readonly Outcome[]): GroupRow {
  const [measure = ''] = members.find(({ scores }) => scores.size > 0)?.scores.keys() ?? []
  const plain = members.flatMap((one) => one.plain.slice(0, 1))
  const peaks = plain.flatMap(({ peakMb }) => peakMb ?? [])
  return {
    group,
    files: members.length,
    completed: members.filter(({ code }) => code === 'completed').length,
    refused: countsOf(members.map(({ code }) => code).filter((code) => code !== 'completed')),
    measure,
    ...summary(scoresOf(members, measure)),
    ms: sumOf(members.filter((one) => one.plain[0]?.ms !== undefined)),
    plainCompleted: plain.filter(({ isCompleted }) => isCompleted).length,
    plainMean: summary(plain.flatMap(({ scores }) => scores.get(measure) ?? [])).mean,
    plainMs: sumOf(plain),
    plainPeakMb: peaks.length === 0 ? null : Math.max(...peaks),
  }
}

function countsOf(codes: readonly string[]): string {
  const names = [...new Set(codes)].sort()
  return names.map((name) => `${codes.filter((code) => code === name).length} ${name}`).join(', ')
}

function sumOf(runs: readonly { readonly ms: number | undefined }[]): number {
  return Math.round(runs.reduce((sum, { ms = 0 }) => sum + ms, 0))
}
