import type { Table, TableStatistics } from '@lancedb/lancedb'
import { CHUNK_KEY } from './document-predicates.js'
import type { OpenTable } from './open-table.js'
import { dimensionsOf, VECTOR_INDEX, vectorIndexBuiltAt } from './table-facts.js'
import type { TablePlace } from './table-place.js'
import { type Compaction, workApart } from './table-process.js'

/** Versions younger than this may still be read: by a search, or by whoever copies the folder. */
export const KEEP_VERSIONS_MS = 60_000
/** Lance counts ages by its own clock, which is read a moment later. */
const CLOCK_MARGIN_MS = 1_000
/** Rows from which on documents and chunks are found by indexes of their own: for deletions, filters and reading. */
const LOOK_UP_FROM_ROWS = 5_000
/** Fragments with fewer rows are merged, once there are some of them: each costs every search some tenths of a millisecond. */
const TINY_FRAGMENT_ROWS = 1_024
const TINY_FRAGMENTS = 24
/** Share of rows that the vector index may not have yet. */
const MAX_UNINDEXED_SHARE = 0.02
const MAX_UNINDEXED_ROWS = 2_000
const BYTES_PER_COMPONENT = 4
/** Bytes on the disk for each byte of a row: more are deleted rows. */
const MAX_BYTES_PER_BYTE = 1.4
/** What one table is compacted for, at the latest. */
const MAX_OLD_VERSIONS = 64
const MAX_FRAGMENTS = 64
/** Why a table is looked at: it was written to, it is not any more, or somebody waits for it to be in order. */
export type Occasion = 'writes' | 'quiet' | 'finish'

/** What is known of a table between two inspections. */
export interface UpkeepState {
  /** Bytes for each byte of a row right after the last compaction: it does not get better. */
  settledRatio: number
  /** Version after the last compaction, and how long that took. */
  settledVersion: number
  settleMs: number
  /** Whether a second copy of rows or an index waits to be removed, as soon as it is old enough. */
  hasCopies: boolean
}

export function newUpkeepState(): UpkeepState {
  return { settledRatio: 1, settledVersion: -1, settleMs: 0, hasCopies: false }
}

/**
 * Merges tiny fragments into one by rewriting their rows: a matter of milliseconds, where a compaction
 * would add a segment to the vector index each time. The writer waits for it.
 */
export async function mergeTinyFragments({ table, writer }: OpenTable, stats: TableStatistics): Promise<void> {
  if (!hasManyTinyFragments(stats)) return
  const fragments = await tinyFragments(table)
  if (fragments.length < TINY_FRAGMENTS / 2) return
  await writer.alone(() => table.update({ where: rowsOf(fragments), valuesSql: { chunk: 'chunk' } }))
}

/** Finds what is looked up by the values of some columns quickly. Rows that come later are indexed by compactions. */
export async function indexColumns({ table }: OpenTable, { numRows }: TableStatistics): Promise<void> {
  if (numRows < LOOK_UP_FROM_ROWS) return
  const indexed = new Set((await table.listIndices()).flatMap(({ columns }) => columns))
  const { Index } = await import('@lancedb/lancedb')
  for (const column of ['document', CHUNK_KEY]) {
    if (!indexed.has(column)) await table.createIndex(column, { config: Index.btree() })
  }
}

/** Whether a table should be compacted: for its fragments, for rows its index lacks, for deleted rows, for old versions. */
export async function isCompactionDue(open: OpenTable, state: UpkeepState): Promise<boolean> {
  if (!(await isChanged(open, state))) return false
  const { table } = open
  const stats = await table.stats()
  const index = await table.indexStats(VECTOR_INDEX)
  const maxUnindexed = Math.max(MAX_UNINDEXED_ROWS, stats.numRows * MAX_UNINDEXED_SHARE)
  if (index !== undefined && index.numUnindexedRows > maxUnindexed) return true
  if (index === undefined && stats.fragmentStats.numSmallFragments > MAX_FRAGMENTS) return true
  if (await hasDeletedRows(table, state)) return true
  const changes = (await table.version()) - state.settledVersion
  return changes >= MAX_OLD_VERSIONS && (await hasOldVersions(table, MAX_OLD_VERSIONS))
}

/** Whether the files hold many more bytes than the rows there are. */
async function hasDeletedRows(table: Table, state: UpkeepState): Promise<boolean> {
  return (await bytesRatio(table)) > Math.max(MAX_BYTES_PER_BYTE, state.settledRatio * 1.1)
}

/** Whether a table was changed since it was compacted last, as far as this process knows. */
export async function isChanged({ table }: OpenTable, state: UpkeepState): Promise<boolean> {
  return (await table.version()) !== state.settledVersion
}

/** How a compaction is to be done. */
export interface CompactionOptions {
  readonly place: TablePlace
  /** Bytes from which on a table is compacted in a process of its own. */
  readonly apartFromBytes: number
  /** Whether nobody is to write meanwhile. */
  readonly isAlone: boolean
}

/**
 * Compacts a table, brings its indexes up to date and removes old versions. Readers go on meanwhile, and
 * writers too, unless it is to be alone. A deletion of rows that are being rewritten makes it fail.
 */
export async function compact(open: OpenTable, state: UpkeepState, options: CompactionOptions): Promise<void> {
  const { table, writer } = open
  const began = performance.now()
  await open.takeUpPlan({ isAtOnce: true })
  const builtAt = await vectorIndexBuiltAt(table)
  const isApart = (await table.stats()).totalBytes >= options.apartFromBytes
  const isSettled = !(await isChanged(open, state))
  const work = async (): Promise<Compaction> => {
    const keep = await keepFrom(table, isSettled)
    return isApart ? await compactApart(table, options.place, keep) : await compactHere(table, keep)
  }
  const { fragmentsRemoved } = await (options.isAlone ? writer.alone(work) : work())
  if (isApart) await writer.alone(() => table.checkoutLatest())
  const rebuiltAt = await vectorIndexBuiltAt(table)
  if (open.plan !== undefined && open.plan.builtAt === builtAt && rebuiltAt !== undefined && rebuiltAt !== builtAt) {
    await open.adopt({ ...open.plan, builtAt: rebuiltAt, isCarriedOver: true })
  }
  state.hasCopies = fragmentsRemoved > 0 || (!isSettled && (await table.listVersions()).length > 1)
  state.settleMs = performance.now() - began
  state.settledVersion = await table.version()
  state.settledRatio = await bytesRatio(table)
}

async function compactHere(table: Table, keep: Date): Promise<Compaction> {
  // Never `deleteUnverified`: beside a writer it damages the table.
  const { compaction } = await table.optimize({ cleanupOlderThan: keep })
  return compaction
}

async function compactApart(table: Table, place: TablePlace, keep: Date): Promise<Compaction> {
  const compaction = await workApart({ task: 'compact', place, table: table.name, keepFromMs: keep.getTime() })
  return compaction ?? { fragmentsRemoved: 0 }
}

/**
 * From when on versions stay: those that may still be read, and the one that this process reads now, however old. With
 * that one stays what came within the margin before it, which may be all rows a second time, until nothing has changed
 * since a compaction: the newest, which then stays the newest, is never removed.
 */
export async function keepFrom(table: Table, isSettled = false): Promise<Date> {
  const current = await table.version()
  const versions = await table.listVersions()
  if (isSettled && versions.every(({ version }) => version <= current)) return oldestKept()
  const read = versions.find(({ version }) => version === current)?.timestamp.getTime() ?? 0
  return new Date(Math.min(oldestKept().getTime(), read - CLOCK_MARGIN_MS))
}

/** Whether so many versions are old enough to go. */
export async function hasOldVersions(table: Table, count: number): Promise<boolean> {
  const oldest = oldestKept()
  const newest = (await table.listVersions()).map(({ timestamp }) => timestamp).sort((one, other) => +one - +other)
  // The newest stays, whatever its age.
  return newest.slice(0, -1).filter((timestamp) => timestamp < oldest).length >= count
}

function oldestKept(): Date {
  return new Date(Date.now() - KEEP_VERSIONS_MS)
}

async function bytesRatio(table: Table): Promise<number> {
  const rowBytes = (await dimensionsOf(table)) * BYTES_PER_COMPONENT
  const { totalBytes, numRows } = await table.stats()
  return totalBytes / (Math.max(numRows, TINY_FRAGMENT_ROWS) * rowBytes)
}

/** The statistics tell quantiles only; they cost a tenth of a millisecond. */
function hasManyTinyFragments({ fragmentStats: { numFragments, lengths } }: TableStatistics): boolean {
  const shares: [share: number, rows: number][] = [
    [0.99, lengths.p99],
    [0.75, lengths.p75],
    [0.5, lengths.p50],
    [0.25, lengths.p25],
  ]
  const share = shares.find(([, rows]) => rows < TINY_FRAGMENT_ROWS)?.[0] ?? 0
  return numFragments * share >= TINY_FRAGMENTS
}

/** The numbers of fragments that have few rows, rising. A row's address begins with its fragment's. */
async function tinyFragments(table: Table): Promise<bigint[]> {
  const heads = await table
    .query()
    .where(`_rowid % ${FRAGMENT} <= ${TINY_FRAGMENT_ROWS}`)
    .withRowId()
    .select(['window'])
    .toArrow()
  const rowIds = (heads.getChild('_rowid')?.toArray() ?? []) as BigUint64Array
  const rows = new Map<bigint, number>()
  for (const rowId of rowIds) rows.set(rowId / FRAGMENT, (rows.get(rowId / FRAGMENT) ?? 0) + 1)
  const tiny = [...rows].filter(([, count]) => count < TINY_FRAGMENT_ROWS).map(([fragment]) => fragment)
  return tiny.sort((one, other) => Number(one - other))
}

const FRAGMENT = 2n ** 32n

/** All rows of these fragments, neighbours taken together. */
function rowsOf(fragments: readonly bigint[]): string {
  const ranges: { from: bigint; to: bigint }[] = []
  for (const fragment of fragments) {
    const last = ranges.at(-1)
    if (last?.to === fragment) last.to = fragment + 1n
    else ranges.push({ from: fragment, to: fragment + 1n })
  }
  return ranges.map(({ from, to }) => `(_rowid >= ${from * FRAGMENT} AND _rowid < ${to * FRAGMENT})`).join(' OR ')
}
