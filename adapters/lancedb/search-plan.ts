import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replacePrivateFile } from '../node-kit/index.js'

/** The suffix of the file name of a table's plan. */
export const PLAN_SUFFIX = '.search.json'

/** The settings of a search by the index. */
export interface LookUp {
  /** The number of partitions that a search reads. */
  readonly probes: number
  /** The index stores vectors at 4 bits a component. The search compares this many times the requested rows exactly. */
  readonly refineFactor: number
}

/** The settings with which a search up to a rank finds the nearest rows with the promised recall. */
export interface Probes extends LookUp {
  readonly rank: number
}

/**
 * The settings of searches by a table's vector index. They are measured when the index is built, and stored in a file
 * beside the table. A table without a plan, or with a plan of another index, is scanned until it is measured.
 */
export interface SearchPlan {
  /**
   * The build time, which identifies the index. Compactions add segments to an index, and give other indexes new names.
   */
  readonly builtAt: string
  /** The number of rows when the index was built. */
  readonly rows: number
  /**
   * In rising order of rank. Empty if no number of partitions is enough: the table is then scanned as if it had no
   * index.
   */
  readonly probes: readonly Probes[]
  /**
   * True if a compaction has divided partitions since the measurement. The plan still serves until they are measured.
   */
  readonly isCarriedOver?: boolean
}

/** Finds the settings for searches up to a rank; `undefined` if only a scan finds the rows. */
export function probesFor(plan: SearchPlan, rank: number): Probes | undefined {
  return plan.probes.find((measured) => measured.rank >= rank)
}

/**
 * Reads the plan from the folder of the tables; `undefined` if there is no readable plan. An object store has none:
 * each process measures for itself.
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
  await replacePrivateFile(pathOf(folder, table), JSON.stringify(plan))
}

function pathOf(folder: string, table: string): string {
  return join(folder, `${table}${PLAN_SUFFIX}`)
}

function isPlan(value: unknown): value is SearchPlan {
  if (typeof value !== 'object' || value === null) return false
  const { builtAt, rows, probes } = value as Record<string, unknown>
  if (typeof builtAt !== 'string' || !Number.isInteger(rows) || !Array.isArray(probes)) return false
  return probes.every((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return false
    const { rank, probes: count, refineFactor } = entry as Record<string, unknown>
    return Number.isInteger(rank) && [count, refineFactor].every((each) => Number.isInteger(each) && Number(each) > 0)
  })
}
