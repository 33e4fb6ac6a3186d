import type { Spread } from './measure.js'

export type Bars = readonly (readonly [name: string, figure: number])[]

/** A bar chart of some figures of a benchmark's results. */
export interface Chart {
  readonly title: string
  readonly bars: (results: never) => Bars
}

interface Rows<T> {
  readonly rows: readonly T[]
}

interface ChunkingRow {
  readonly name: string
  readonly counts?: string
  readonly megabytesPerSecond: Spread
}

interface EmbeddingFigure {
  readonly name: string
  readonly tokensPerSecond: Spread
}

interface MemoryRow {
  readonly name: string
  readonly withChildrenFirstHalfMb: Spread
  readonly withChildrenSecondHalfMb: Spread
}

interface SearchRow {
  readonly set: string
  readonly windows: number
  readonly perSecondWith64: Spread
  readonly plainScansPerSecond?: Spread
}

interface KindRow {
  readonly set: string
  readonly kind: string
  readonly settings: string
  readonly recallAt10: number
  readonly p50Ms: Spread
}

interface RestRow {
  readonly name: string
  readonly what: string
  readonly perSecondWith64: Spread
}

interface Growth {
  readonly diskMb: Spread
  readonly freshDiskMb: Spread
}

type GrowthPlaces = Readonly<Record<'at the index port' | 'through the engine', Growth>>

/** What is drawn of each benchmark. */
export const CHARTS: Readonly<Record<string, readonly Chart[]>> = {
  chunking: [
    {
      title: 'MB/s, splitters that count tokens',
      bars: ({ rows }: Rows<ChunkingRow>) =>
        rows
          .filter(({ counts, name }) => counts !== 'characters' && !name.includes('first pass'))
          .map(({ name, megabytesPerSecond }) => [name, megabytesPerSecond.median]),
    },
  ],
  embedding: [
    {
      title: 'tokens/s',
      bars: ({ figures }: { readonly figures: readonly EmbeddingFigure[] }) =>
        figures.map(({ name, tokensPerSecond }) => [name, tokensPerSecond.median]),
    },
  ],
  memory: [
    {
      title: 'MB at the most, all processes',
      bars: ({ rows }: Rows<MemoryRow>) =>
        rows.map((row) => [row.name, Math.max(row.withChildrenFirstHalfMb.most, row.withChildrenSecondHalfMb.most)]),
    },
  ],
  search: [
    {
      title: 'searches a second, 64 callers, and exact scans of LanceDB',
      bars: (results: { readonly 'at the index port': readonly SearchRow[] }) =>
        results['at the index port'].flatMap(({ set, windows, perSecondWith64, plainScansPerSecond }): Bars => {
          const of = `${set}, ${windows.toLocaleString('en')} windows`
          const scan: Bars = plainScansPerSecond ? [[`${of}: scan`, plainScansPerSecond.median]] : []
          return [[of, perSecondWith64.median], ...scan]
        }),
    },
    {
      title: 'ms for a search, kinds of index of LanceDB, hard set',
      bars: (results: { readonly 'kinds of index': readonly KindRow[] }) =>
        results['kinds of index']
          .filter(({ set }) => set === 'hard')
          .map(({ kind, settings, recallAt10, p50Ms }) => [`${kind}, ${settings}: recall ${recallAt10}`, p50Ms.median]),
    },
  ],
  events: [
    {
      title: 'deliveries and requests a second',
      bars: ({ delivery }: { readonly delivery: Readonly<Record<string, Spread>> }) =>
        Object.entries(delivery)
          .filter(([name]) => name.includes('/s'))
          .map(([name, { median }]) => [name, median]),
    },
  ],
  rest: [
    {
      title: 'requests a second, 64 connections, without a bare handler',
      bars: ({ rows }: Rows<RestRow>) =>
        rows.filter(({ name }) => name === 'alcove').map(({ what, perSecondWith64 }) => [what, perSecondWith64.median]),
    },
  ],
  growth: [
    {
      title: 'MB on the disk after small writes and deletions, and of the same written at one go',
      bars: (places: GrowthPlaces) =>
        Object.entries(places).flatMap(
          ([where, { diskMb, freshDiskMb }]): Bars => [
            [where, diskMb.median],
            [`${where}: at one go`, freshDiskMb.median],
          ],
        ),
    },
  ],
}
