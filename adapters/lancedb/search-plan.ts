import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Ends the name of a table's plan. */
export const PLAN_SUFFIX = '.search.json'

/** How the index is searched. */
export interface LookUp {
  /** Partitions that are searched. */
  readonly probes: number
  /** The index knows vectors at 4 bits a component: so many times the rows asked for are compared exactly. */
  readonly refineFactor: number
}

/** How the index must be searched so that the nearest rows, up to a rank, are found with the recall promised. */
export interface Probes extends LookUp {
  readonly rank: number
}

/**
 * How to search a table by its vector index: measured when the index was built, and kept in a file
 * beside the table. Without it, or with one of another index, the table is scanned until it is measured again.
 */
export interface SearchPlan {
  /** Which index: when it was built. Compactions add segments to it, and give others new names. */
  readonly builtAt: string
  /** Rows when the index was built. */
  readonly rows: number
  /** By rising rank; none where no number of partitions is enough: the table is scanned, then, as if it had no index. */
  readonly probes: readonly Probes[]
  /** Whether a compaction has divided partitions since: it still serves, until they are measured. */
  readonly isCarriedOver?: boolean
}

/** How to search for the nearest rows up to a rank; `undefined` where only a scan finds them. */
export function probesFor(plan: SearchPlan, rank: number): Probes | undefined {
  return plan.probes.find((measured) => measured.rank >= rank)
}

/**
 * The plan in the folder of the tables; `undefined` where there is none that can be read. In an object store there is
 * none: each process measures for itself.
 */
export async function readPlan(folder: string | undefined, table: string): Promise<SearchPlan | undefined> {
  if (folder === undefined) return undefined
  try {
    const plan: unknown = JSON.parse(await readFile(pathOf(folder, table), 'utf8'))
    return isPlan(plan) ? plan : undefined
  } catch {
    return undefined
  }
}

export async function writePlan(folder: string | undefined, table: string, plan: SearchPlan): Promise<void> {
  if (folder === undefined) return
  const path = pathOf(folder, table)
  await writeFile(`${path}.new`, JSON.stringify(plan), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

function pathOf(folder: string, table: string): string {
  return join(folder, `${table}${PLAN_SUFFIX}`)
}

function isPlan(value: unknown): value is SearchPlan {
  if (typeof value !== 'object' || value === null) return false
  const { builtAt, rows, probes } = value as Record<string, unknown>
  if (typeof builtAt !== 'string' || !Number.isInteger(rows) || !Array.isArray(probes)) return false
  return probes.every((one: unknown) => {
    if (typeof one !== 'object' || one === null) return false
    const { rank, probes: count, refineFactor } = one as Record<string, unknown>
    return Number.isInteger(rank) && [count, refineFactor].every((each) => Number.isInteger(each) && Number(each) > 0)
  })
}
