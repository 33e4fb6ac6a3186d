import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { toMarkdown } from './markdown-table.js'
import type { Spread } from './measure.js'
import type { Report } from './report.js'

const require = createRequire(import.meta.url)

/** What each benchmark asks, in the order of the page; and of which rows a chart is made. */
const SECTIONS: readonly {
  readonly name: string
  readonly question: string
  readonly chart?: { readonly title: string; readonly bars: (results: never) => readonly (readonly [string, number])[] }
}[] = [
  {
    name: 'chunking',
    question:
      'Chunks of 1,000 tokens that overlap by 200, in megabytes a second, on one core, tokenizer included; the corpora of Chroma’s evaluation. `tooLarge` counts chunks with more than 1,000 tokens of the model, the last columns are shares of chunks by where they begin.',
    chart: {
      title: 'MB/s, splitters that count tokens',
      bars: ({ rows }: { readonly rows: readonly (Spread & { readonly name: string; readonly counts?: string })[] }) =>
        rows.filter(({ counts }) => counts !== 'characters').map(({ name, median }) => [name, median] as const),
    },
  },
  {
    name: 'embedding',
    question:
      'Windows of the same texts through the adapter, beside the bare session of the runtime at the shape that it computes fastest (8 texts of 128 tokens), and beside other libraries with the same weights.',
    chart: {
      title: 'tokens/s',
      bars: ({
        figures,
      }: {
        readonly figures: readonly { readonly name: string; readonly tokensPerSecond: Spread }[]
      }) => figures.map(({ name, tokensPerSecond }) => [name, tokensPerSecond.median] as const),
    },
  },
  {
    name: 'ingestion',
    question:
      'From upload to searchable. `modelShare` is the time that the model takes alone for the same windows, as a share of the whole.',
  },
  {
    name: 'memory',
    question:
      'Resident memory, in MB, of a process that takes in one long document, in the first half of the time and in the second, and the longest time in ms that its main thread computes between two turns of the event loop. A stub stands for the model. LangChain: the file read, split by characters, and the same vectors in a list.',
  },
  {
    name: 'search',
    question:
      'Search at the index port in two sets of vectors (easy: round clusters; hard: overlapping ones; embeddings lie between), one caller and 64, beside the plain exact scan of LanceDB on the same table, and its kinds of index; then through the engine, with a stub for the model, whose time is apart.',
  },
  { name: 'start', question: 'From `import` to an engine that is ready, and its first search, which loads the model.' },
  {
    name: 'events',
    question:
      'Recording an event, and deliveries to ten destinations, one of which hangs, beside bare `node:https` POSTs with a new connection each.',
  },
  {
    name: 'rest',
    question:
      '`GET /context/{id}` and searches over HTTP with one connection (`p50Ms`) and with 64 (`perSecond`), beside a bare Hono handler that answers the same. `addedMs` is the median less that of the bare handler, less what the engine itself needs.',
  },
  { name: 'growth', question: 'Disk and search after many small uploads and deletions, beside a fresh build.' },
  {
    name: 'install',
    question:
      'Imports, each in a process of its own, and an application with the package: `npm ci` without install scripts (that of SQLite compiles where nothing fits that can be downloaded).',
  },
  { name: 'tenancy', question: 'Permissions in large trees of companies.' },
  { name: 'retrieval-quality', question: 'How good the passages are that a search finds.' },
  { name: 'extraction', question: 'Words of documents that are read, beside plain libraries and references.' },
  { name: 'documents', question: 'Every public document, ingested in one run with the default model.' },
]

/** Makes `README.md` of the results that there are: no figure in it is typed by hand. */
export async function writeReadme(): Promise<void> {
  const parts = [
    '# Benchmarks',
    '`npm run bench` runs all of them, `npm run bench NAME` one, with its peers beside it in the same run; `-- --quick` is a smoke test. This page is made of [results](results) by `npm run bench`. Ratios count: machines differ. Figures with a range are medians of several runs, with the least and the most.',
  ]
  for (const { name, question, chart } of SECTIONS) {
    const report = await readReport(name)
    if (report === undefined) continue
    const { machine, date, results } = report
    const where = `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}, ${date}.`
    parts.push(`## ${name}`, question, toMarkdown(results))
    if (chart !== undefined) parts.push(bars(chart.title, chart.bars(results as never)))
    parts.push(`_${where}_`)
  }
  const path = join(import.meta.dirname, 'README.md')
  await writeFile(path, `${parts.join('\n\n')}\n`)
  // As all files of the project are: tables with aligned columns.
  execFileSync(process.execPath, [require.resolve('@biomejs/biome/bin/biome'), 'format', '--write', path], {
    stdio: 'ignore',
  })
}

async function readReport(name: string): Promise<Report | undefined> {
  const text = await readFile(join(import.meta.dirname, 'results', `${name}.json`), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Report)
}

/** A bar chart that code hosts draw. */
function bars(title: string, values: readonly (readonly [string, number])[]): string {
  const names = values.map(([name]) => JSON.stringify(name)).join(', ')
  const figures = values.map(([, value]) => value).join(', ')
  return [
    '```mermaid',
    'xychart-beta horizontal',
    `  title "${title}"`,
    `  x-axis [${names}]`,
    `  bar [${figures}]`,
    '```',
  ].join('\n')
}
