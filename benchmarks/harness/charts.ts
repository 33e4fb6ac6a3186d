import type { Bars, Chart } from './bar-chart.js'
import type { Spread } from './measure.js'

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

interface ImportRow {
  readonly specifier: string
  readonly importMs: Spread
}

interface Growth {
  readonly diskMb: Spread
  readonly freshDiskMb: Spread
}

type GrowthPlaces = Readonly<Record<'at the index port' | 'through the engine', Growth>>

/** The charts of each benchmark. */
export const CHARTS: Readonly<Record<string, readonly Chart[]>> = {
  chunking: [
    {
      title: 'splitters that count tokens',
      unit: 'MB/s',
      bars: ({ rows }: Rows<ChunkingRow>) =>
        rows
          .filter(({ counts }) => counts?.startsWith('tokens'))
          .map(({ name, megabytesPerSecond }) => [
            withoutVersions(name)
              .replace("counting with this engine's tokenizer", 'model tokens')
              .replace('counting with ', ''),
            megabytesPerSecond.median,
          ]),
    },
  ],
  embedding: [
    {
      title: 'tokens that the model computes in a second',
      unit: 'tokens/s',
      bars: ({ figures }: { readonly figures: readonly EmbeddingFigure[] }) =>
        figures.map(({ name, tokensPerSecond }) => [nameOfContestant(name), tokensPerSecond.median]),
    },
  ],
  memory: [
    {
      title: 'memory at the most, all processes',
      unit: 'MB',
      bars: ({ rows }: Rows<MemoryRow>) =>
        rows.map(({ name, withChildrenFirstHalfMb: first, withChildrenSecondHalfMb: second }) => [
          name.replace(', a stub for the model', '').replace(', vectors in an array', ''),
          Math.max(first.most, second.most),
        ]),
    },
  ],
  search: [
    {
      title: 'searches by 64 callers, and exact scans of LanceDB',
      unit: 'searches/s',
      bars: (results: { readonly 'at the index port': readonly SearchRow[] }) =>
        results['at the index port'].flatMap(({ set, windows, perSecondWith64, plainScansPerSecond }): Bars => {
          const of = `${set}, ${windows.toLocaleString('en')} windows`
          const scan: Bars = plainScansPerSecond ? [[`${of}: scan`, plainScansPerSecond.median]] : []
          return [[of, perSecondWith64.median], ...scan]
        }),
    },
    {
      title: 'one search, by kind of index (IVF, but for HNSW), with its recall, hard set',
      unit: 'ms',
      bars: (results: { readonly 'kinds of index': readonly KindRow[] }) =>
        results['kinds of index']
          .filter(({ set }) => set === 'hard')
          .map(({ kind, settings, recallAt10, p50Ms }) => [
            `${kind.replace('IVF_', '')}, ${settings}: ${recallAt10}`,
            p50Ms.median,
          ]),
    },
  ],
  events: [
    {
      title: 'deliveries, and bare requests',
      unit: 'a second',
      bars: ({ delivery }: { readonly delivery: Readonly<Record<string, Spread>> }) =>
        Object.entries(delivery)
          .filter(([name]) => name.includes('/s'))
          .map(([name, { median }]) => [name, median]),
    },
  ],
  rest: [
    {
      title: 'requests over 64 connections',
      unit: 'requests/s',
      bars: ({ rows }: Rows<RestRow>) =>
        rows.map(({ name, what, perSecondWith64 }) => [`${what}: ${name}`, perSecondWith64.median]),
    },
  ],
  growth: [
    {
      title: 'disk after small writes and deletions, and of the same written at one go',
      unit: 'MB',
      bars: (places: GrowthPlaces) =>
        Object.entries(places).flatMap(
          ([where, { diskMb, freshDiskMb }]): Bars => [
            [where, diskMb.median],
            [`${where}: at one go`, freshDiskMb.median],
          ],
        ),
    },
  ],
  install: [
    {
      title: 'import of the engine, and of other libraries',
      unit: 'ms',
      bars: ({ imports }: { readonly imports: readonly ImportRow[] }) =>
        imports.map(({ specifier, importMs }) => [specifier, importMs.median]),
    },
  ],
}

function nameOfContestant(name: string): string {
  if (name.startsWith('the raw')) return `raw session,${name.split(',')[1] ?? ''}`
  if (name.startsWith('a raw')) return `session a core,${name.split(',')[2] ?? ''}`
  if (name.startsWith('transformers.js')) return 'transformers.js as AnythingLLM embeds'
  return withoutVersions(name.split(' (')[0] ?? name)
}

function withoutVersions(name: string): string {
  return name.replaceAll(/ \d+\.\d+\.\d+/g, '')
}
