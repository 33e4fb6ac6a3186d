import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Table, TableStatistics } from '@lancedb/lancedb'
import type { OpenTable } from '../open-table.js'
import type { TablePlace } from '../table-place.js'
import { type Compaction, runInProcess } from '../table-process.js'
import { CHUNK_KEY, readDimensions, readIndexBuildTime, VECTOR_INDEX } from '../table-schema.js'

/** Versions younger than this stay: a search or a copy of the folder may still read them. */
export const KEEP_VERSIONS_MS = 60_000
/** Lance computes ages from its own clock, which it reads a moment later. */
const CLOCK_MARGIN_MS = 1_000
/** A table of at least this many rows gets indexes on documents and chunks, for deletions, filters and reads. */
const INDEX_COLUMNS_FROM_ROWS = 5_000
/**
 * Fragments with fewer rows are merged once there are enough of them. Each fragment costs every search some tenths of a
 * millisecond.
 */
const TINY_FRAGMENT_ROWS = 1_024
const TINY_FRAGMENTS = 24
/** The share of rows that the vector index may lack. */
const MAX_UNINDEXED_SHARE = 0.02
const MAX_UNINDEXED_ROWS = 2_000
const BYTES_PER_COMPONENT = 4
/** Bytes on the disk for each byte of a row. A higher ratio means that deleted rows remain. */
const MAX_BYTES_PER_BYTE = 1.4
/** A table that exceeds one of these limits is compacted. */
const MAX_OLD_VERSIONS = 64
const MAX_FRAGMENTS = 64

/** The reason for an inspection: the table was written to, writes have stopped, or a caller waits for maintenance. */
export type Occasion = 'writes' | 'quiet' | 'finish'

/** Facts about a table that are kept between two inspections. */
export interface TableState {
  /** Bytes for each byte of a row right after the last compaction: the best ratio that is possible. */
  settledRatio: number
  /** The version after the last compaction, and the duration of that compaction. */
  settledVersion: number
  settleMs: number
  /** True while a second copy of rows or of an index waits until it is old enough to be removed. */
  hasOldCopies: boolean
}

export function newTableState(): TableState {
  return { settledRatio: 1, settledVersion: -1, settleMs: 0, hasOldCopies: false }
}

/**
 * Merges tiny fragments into one by rewriting their rows, in milliseconds. A compaction would add a segment to the
 * vector index each time. The writer waits for the merge.
 */
export async function mergeTinyFragments({ table, writer }: OpenTable, stats: TableStatistics): Promise<void> {
  if (!hasManyTinyFragments(stats)) return
  const fragments = await findTinyFragments(table)
  if (fragments.length < TINY_FRAGMENTS / 2) return
  await writer.exclusively(() => table.update({ where: fragmentsPredicate(fragments), valuesSql: { chunk: 'chunk' } }))
}

/** Builds indexes on the columns that queries filter by. Compactions index rows that are added later. */
export async function indexColumns({ table }: OpenTable, { numRows }: TableStatistics): Promise<void> {
  if (numRows < INDEX_COLUMNS_FROM_ROWS) return
  const indexed = new Set((await table.listIndices()).flatMap(({ columns }) => columns))
  const { Index } = await import('@lancedb/lancedb')
  for (const column of ['document', CHUNK_KEY]) {
    if (!indexed.has(column)) await table.createIndex(column, { config: Index.btree() })
  }
}

/** True if a table has too many fragments, rows that its index lacks, deleted rows, or old versions. */
export async function isCompactionDue(open: OpenTable, state: TableState): Promise<boolean> {
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

/** True if the files have many more bytes than their rows need. */
async function hasDeletedRows(table: Table, state: TableState): Promise<boolean> {
  return (await readBytesRatio(table)) > Math.max(MAX_BYTES_PER_BYTE, state.settledRatio * 1.1)
}

/** A collection of at most this many rows, without a vector index, is rewritten after deletions. */
const REWRITTEN_UP_TO_ROWS = 10_000

/** True if the folder of a table has files of deletions: those of the present version, or of an old one. */
export async function hasDeletions({ name }: Table, { folder }: TablePlace): Promise<boolean> {
  return folder !== undefined && (await namesIn(join(folder, `${name}.lance`, '_deletions'))).length > 0
}

/**
 * Rewrites the rows of a small collection, so that no file has a deleted row. A compaction leaves deleted rows where
 * they are few.
 * @returns true if it is rewritten
 */
export async function rewriteIfSmall({ table, writer }: OpenTable): Promise<boolean> {
  if ((await table.countRows()) > REWRITTEN_UP_TO_ROWS) return false
  if ((await readIndexBuildTime(table)) !== undefined) return false
  await writer.exclusively(() => table.update({ valuesSql: { chunk: 'chunk' } }))
  return true
}

/** Removes deleted rows and old versions from a copy of a table, which no other process uses. */
export async function purgeCopy(open: OpenTable, place: TablePlace): Promise<void> {
  const { table } = open
  if (!(await hasDeletions(table, place)) && !(await hasOldFiles(table, place))) return
  await rewriteIfSmall(open)
  // Nobody writes a file that is not a part of a version yet.
  await table.optimize({ cleanupOlderThan: new Date(Date.now() + CLOCK_MARGIN_MS), deleteUnverified: true })
}

/** True if the folder of a table has more files of rows than the present version needs. */
async function hasOldFiles(table: Table, { folder }: TablePlace): Promise<boolean> {
  if (folder === undefined) return false
  const { fragmentStats } = await table.stats()
  return (await namesIn(join(folder, `${table.name}.lance`, 'data'))).length > fragmentStats.numFragments
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => [])
}

/** True if, as far as this process knows, the table has changed since its last compaction. */
export async function isChanged({ table }: OpenTable, state: TableState): Promise<boolean> {
  return (await table.version()) !== state.settledVersion
}

/** The options of a compaction. */
interface CompactionOptions {
  readonly place: TablePlace
  /** A table of at least this many bytes is compacted in a separate process. */
  readonly separateFromBytes: number
  /** True if writers wait until the compaction is done. */
  readonly blocksWriters: boolean
}

/**
 * Compacts a table, updates its indexes and removes old versions. Readers continue; writers too, unless `blocksWriters`
 * is set. The compaction fails if a deletion removes rows that it is rewriting.
 */
export async function compact(open: OpenTable, state: TableState, options: CompactionOptions): Promise<void> {
  const { table, writer } = open
  const startedAt = performance.now()
  await open.reloadPlan({ isForced: true })
  const builtAt = await readIndexBuildTime(table)
  const runsSeparately = (await table.stats()).totalBytes >= options.separateFromBytes
  const isSettled = !(await isChanged(open, state))
  const work = async (): Promise<Compaction> => {
    const keep = await findKeepFrom(table, isSettled)
    return runsSeparately ? await compactInProcess(table, options.place, keep) : await compactInHost(table, keep)
  }
  const { fragmentsRemoved } = await (options.blocksWriters ? writer.exclusively(work) : work())
  if (runsSeparately) await writer.exclusively(() => table.checkoutLatest())
  const rebuiltAt = await readIndexBuildTime(table)
  if (open.plan !== undefined && open.plan.builtAt === builtAt && rebuiltAt !== undefined && rebuiltAt !== builtAt) {
    await open.savePlan({ ...open.plan, builtAt: rebuiltAt, isCarriedOver: true })
  }
  state.hasOldCopies = fragmentsRemoved > 0 || (!isSettled && (await table.listVersions()).length > 1)
  state.settleMs = performance.now() - startedAt
  state.settledVersion = await table.version()
  state.settledRatio = await readBytesRatio(table)
}

async function compactInHost(table: Table, keep: Date): Promise<Compaction> {
  // Never use `deleteUnverified`: it damages the table if another process writes to it.
  const { compaction } = await table.optimize({ cleanupOlderThan: keep })
  return compaction
}

async function compactInProcess(table: Table, place: TablePlace, keep: Date): Promise<Compaction> {
  const compaction = await runInProcess({ task: 'compact', place, table: table.name, keepFromMs: keep.getTime() })
  return compaction ?? { fragmentsRemoved: 0 }
}

/**
 * Finds the time from which on versions stay. Versions that a search may still read stay, and so does the version that
 * this process reads, however old. The margin keeps versions shortly before that one too, which may be a second copy of
 * all rows. They are removed once nothing has changed since a compaction: Lance never removes the newest version.
 */
export async function findKeepFrom(table: Table, isSettled = false): Promise<Date> {
  const current = await table.version()
  const versions = await table.listVersions()
  if (isSettled && versions.every(({ version }) => version <= current)) return oldestKeptTime()
  const read = versions.find(({ version }) => version === current)?.timestamp.getTime() ?? 0
  return new Date(Math.min(oldestKeptTime().getTime(), read - CLOCK_MARGIN_MS))
}

/** True if at least this many versions are old enough to be removed. */
export async function hasOldVersions(table: Table, count: number): Promise<boolean> {
  const oldest = oldestKeptTime()
  const newest = (await table.listVersions()).map(({ timestamp }) => timestamp).sort((one, other) => +one - +other)
  // The newest version stays at any age.
  return newest.slice(0, -1).filter((timestamp) => timestamp < oldest).length >= count
}

function oldestKeptTime(): Date {
  return new Date(Date.now() - KEEP_VERSIONS_MS)
}

async function readBytesRatio(table: Table): Promise<number> {
  const rowBytes = (await readDimensions(table)) * BYTES_PER_COMPONENT
  const { totalBytes, numRows } = await table.stats()
  return totalBytes / (Math.max(numRows, TINY_FRAGMENT_ROWS) * rowBytes)
}

/** Estimates from quantiles, which is all that the statistics have. They cost a tenth of a millisecond. */
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

const FRAGMENT = 2n ** 32n

/**
 * The numbers of fragments that have few rows, in rising order. The upper half of a row's address is the number of its
 * fragment.
 */
async function findTinyFragments(table: Table): Promise<bigint[]> {
  const firstRows = await table
    .query()
    .where(`_rowid % ${FRAGMENT} <= ${TINY_FRAGMENT_ROWS}`)
    .withRowId()
    .select(['window'])
    .toArrow()
  const rowIds = (firstRows.getChild('_rowid')?.toArray() ?? []) as BigUint64Array
  const rows = new Map<bigint, number>()
  for (const rowId of rowIds) rows.set(rowId / FRAGMENT, (rows.get(rowId / FRAGMENT) ?? 0) + 1)
  const tiny = [...rows].filter(([, count]) => count < TINY_FRAGMENT_ROWS).map(([fragment]) => fragment)
  return tiny.sort((one, other) => Number(one - other))
}

/** A predicate for all rows of these fragments, with neighbours merged into one range. */
function fragmentsPredicate(fragments: readonly bigint[]): string {
  const ranges: { from: bigint; to: bigint }[] = []
  for (const fragment of fragments) {
    const last = ranges.at(-1)
    if (last?.to === fragment) last.to = fragment + 1n
    else ranges.push({ from: fragment, to: fragment + 1n })
  }
  return ranges.map(({ from, to }) => `(_rowid >= ${from * FRAGMENT} AND _rowid < ${to * FRAGMENT})`).join(' OR ')
}
