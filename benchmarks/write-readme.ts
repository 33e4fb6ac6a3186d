import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { drawn } from './bar-chart.js'
import { CHARTS } from './charts.js'
import { toMarkdown } from './markdown-table.js'
import type { Report } from './report.js'
import { limitOf, outcomeOf, type Target, valueAt, wantedOf } from './target-outcome.js'
import { TARGETS } from './targets.js'

const require = createRequire(import.meta.url)

/** What each benchmark asks, in the order of the page; and its number in the design. */
const SECTIONS: readonly {
  readonly name: string
  readonly number?: string
  readonly question: string
}[] = [
  {
    name: 'chunking',
    number: 'P1',
    question:
      'Chunks of 1,000 tokens that overlap by 200, on one core, tokenizer included; the same texts again and again, but for the rows of a first pass, in which most words are met for the first time. `counts` is what a size is counted in: `tooLarge` counts chunks with more than 1,000 tokens of the model, whatever that is. `repeatedTokens` is how many tokens a chunk shares with the one before it, on average, of 200 that it may. The last columns are shares of chunks by where they begin, `atBoundary` all that begin at a heading, a paragraph, a sentence or with the text. The engine ends a chunk in front of a heading that comes behind three quarters of its size, at the end of a paragraph or sentence behind 0.85 or 0.92 of it, and begins the next at the best place where 180 to 200 tokens are repeated (150 where it would begin inside a word): among 20 tokens there may be no end of a sentence. LangChain repeats whole paragraphs or lines, or nothing, and words only within a line longer than a chunk; LlamaIndex whole sentences. mastra’s tokens: it makes its encoder anew for each text. chonkie cuts at offsets in bytes, which are not those of characters where a text has others than ASCII. Lines are compared with the reference tokenizer but for `linesLeftOut`, which have a word of more than 100 characters: the reference reads it as one unknown token, and the engine cuts it first.',
  },
  {
    name: 'embedding',
    number: 'P2',
    question:
      'Windows of the same texts through the adapter, beside the bare session of the runtime at the shapes that it computes fastest (one session with its default threads, and one for each core with one thread each), and beside other libraries with the same weights, each in a process of its own. Tokens are those of texts: what a library computes for padding is not counted, nor what it cuts off; kilobytes are of whole texts. `kilobytesPerSecond` is of the text that is embedded, in which windows overlap, `sourceKilobytesPerSecond` of the text that was there.',
  },
  {
    name: 'ingestion',
    number: 'P3',
    question:
      'From upload to searchable, a megabyte at a time. `modelShare` is the share of the time in which the model has at least one call under way; `modelAloneMs` is what the same windows take in one call. Beside it the way that AnythingLLM takes, with the same weights: LangChain’s splitter (1,000 characters, of which 20 overlap, so that each is embedded hardly more than once), the pipeline of transformers.js in batches of 25, and LanceDB.',
  },
  {
    name: 'memory',
    number: 'P4',
    question:
      'Resident memory, in MB, while one long document is taken in: of the host’s process, and with all processes that it starts (of pages that these share with others, their part), at its highest in the first half of the time and in the second, which are alike where it is flat. `longestWorkMs` is the longest time that the host’s main thread computes between two turns of its event loop, `longestStopMs` the longest time between two turns, in which other threads and programs have theirs on the processor, the engine’s own included. The worst of all runs is what counts. A stub stands for the model where the name says so: texts run through as fast as all the rest can.',
  },
  {
    name: 'search',
    number: 'P5',
    question:
      'Search at the index port in two synthetic sets of vectors (easy: round clusters; hard: overlapping ones; embeddings lie between), one caller and 64, beside the plain exact scan of LanceDB on the same table by as many callers as it answers soonest (`scanCallers`: more make it slower, and larger by gigabytes), and its kinds of index; after the deletion of the documents that were found most, and with filters; then by the HNSW index of the adapter for pgvector over as many windows as it makes one for by itself (`ALCOVE_TEST_PGVECTOR_URL` names a server; otherwise on PGlite, which computes in the process, slowly), and through the engine, with a stub for the model, whose time is apart. Kinds of index are built over 100,000 windows: some take minutes for that. Below 10,000 windows a search of the engine is a scan. `maintenanceMs` is the building of the index, in a process of its own, and the measuring of how many of its parts must be searched.',
  },
  {
    name: 'words',
    question:
      'From the beginning of an upload until a search by words finds the last word of the text, while the model, the real one, has just begun. Then searches in each mode, of the same questions, in turn, in one long document of so many chunks of 200 tokens: `addedMs` is what a search by words and meaning takes longer than one by meaning alone. A stub stands for the model there: embedding the question takes the same time in each mode, and words are looked for meanwhile.',
  },
  {
    name: 'start',
    number: 'P6',
    question:
      'From `import` to an engine that is ready (`readyMs`, of which the import itself takes `importMs`), and its first search, which loads the model. Node’s own start is not in it; the files were read before, so the system has them in memory.',
  },
  {
    name: 'events',
    number: 'P7',
    question:
      'Recording an event, and deliveries to ten destinations, one of which hangs, beside bare `node:https` POSTs of the same bytes with a new connection each, and beside the same without the one that hangs. The relay makes a new connection each time, too, but goes on with the TLS session of the one before, as the second kind of bare POSTs does. Rates are from the first arrival to the last.',
  },
  {
    name: 'rest',
    number: 'P8',
    question:
      '`GET /context/{id}` and searches over HTTP with one connection (`p50Ms`) and with 64, beside a bare Hono handler that answers the same. `overBareMs` is what all of the engine takes, `addedMs` that without what the same call takes in the process: routing, validation, and authentication by a token that was seen before.',
  },
  {
    name: 'growth',
    number: 'P9',
    question:
      'Disk and search at the index port after 10,000 small writes by four callers and 2,500 deletions, beside the same windows written at one go. `diskMbAtOnce` is what is there when the last write ends; the rest is measured after maintenance, and after the minute that old versions are kept. Then small uploads through the engine, of which each fourth is deleted as soon as it is there, and all that is on the disk.',
  },
  {
    name: 'install',
    number: 'P10',
    question:
      'Imports, each in a process of its own, and an application with the package: an installation with a lock, without install scripts (that of SQLite compiles where nothing fits that can be downloaded), from a warm cache. `alcove` is the engine without adapters, `alcove/local` is what most hosts import; `dist` is bundled, so it has fewer modules. `data:text/javascript,` is a module with nothing in it.',
  },
  { name: 'tenancy', question: 'Permissions in large trees of companies.' },
  {
    name: 'retrieval-quality',
    number: 'Q1',
    question:
      'How good the passages are that a search finds, in each mode of the engine and beside other libraries over the same chunks: of the five best chunks, the share of the characters that answer a question (`recall`), of theirs that do (`precision`), and both together (`iou`); of collections whole documents. `reference` is what the same model reached in a plain search over all windows. Similar documents are generated: 300 product sheets, error manuals and contact lists that differ in numbers and names, with 600 questions that name one. MiniSearch cuts words at white space and punctuation, which Chinese has not between words. The ensemble gives each side half of the weight, by reciprocal ranks, of the 100 best of each. `leastOverReference` is how far the lowest score of the semantic mode is above its reference, in parts of what it may be below: 0.01, and a tenth of a precision. The same at every run.',
  },
  {
    name: 'extraction',
    question:
      'Words of documents that are read, beside plain libraries and references: `mean` is the mean share of a reference’s words that are found, `goodShare` that of the files with 0.98 of them or more; `below` are the files with fewer. `ms` is the extraction of those of a row’s files at which the first plain library does not fail, by the engine’s process, which goes on from one to the next; `plainMs` that library’s own work, without its import, in a process of its own for each, as some files end it. One run.',
  },
  {
    name: 'documents',
    question:
      'Every public document, ingested in one run with the default model: how many end with text, and how the others are `refused`. `peakMemoryMb` is the host’s; `longestStopMs` the longest time between two turns of its event loop, beside the model’s threads; `unexpected` documents that end otherwise than they should.',
  },
]

const PAGE = join(import.meta.dirname, 'README.md')

/** Makes `README.md` of the results that there are. */
export async function writeReadme(): Promise<void> {
  await writeFile(PAGE, await readmeText())
}

/** The page: no figure in it is typed by hand. */
export async function readmeText(): Promise<string> {
  const parts = [
    '# Benchmarks',
    '`npm run bench` runs all of them, `npm run bench NAME` one, with its peers beside it in the same run; `-- --quick` is a smoke test. This page is made of [results](results) by `npm run bench`: a table that your run did not measure keeps the figures, and the line under it, of the run before. Tables may be of different commits, which that line names, with a `+` where something was changed since. Without the public documents shorter texts are used, whose figures can’t be compared with these. Ratios count: machines differ. P1 to P10 and Q1 are numbers of the project’s design. What is judged is the median, and in P4 the worst round. Figures with a range are medians of at least five runs, with the least and the most; figures without one are of one run, or counts, or the worst of all runs where it says so. Ratios are made round by round, as what slows a machine down meets both: their median is not the ratio of two medians. Under each table is where it was made: machines that are shared are faster at one hour than at another, and SHA-256 and random reads of 64 MB by one thread, right afterwards, tell how fast this one was, and `load` how many threads had work in the last minute, the benchmark’s own included.',
  ]
  const reports = new Map<string, Report>()
  for (const { name } of SECTIONS) {
    const report = await readReport(name)
    if (report !== undefined) reports.set(name, report)
  }
  parts.push('## What is to be reached', ...targetTable(reports))
  for (const { name, number, question } of SECTIONS) {
    parts.push(`## ${number === undefined ? '' : `${number} `}${name}`, question)
    const report = reports.get(name)
    if (report === undefined) {
      parts.push('_Not measured yet._')
      continue
    }
    const { machine, date, results, versions } = report
    const known = [
      machine.cpu,
      `${machine.cores} cores`,
      `${machine.memoryGb} GB`,
      machine.system,
      `Node ${machine.node}`,
      machine.load === undefined ? undefined : `load ${machine.load}`,
      machine.sha256MbPerSecond === undefined ? undefined : `SHA-256 ${machine.sha256MbPerSecond} MB/s`,
      machine.millionReadsPerSecond === undefined
        ? undefined
        : `${machine.millionReadsPerSecond} million random reads/s`,
    ]
    const where = [...known.filter((one) => one !== undefined), date].join(', ')
    parts.push(toMarkdown(results))
    parts.push(...(CHARTS[name] ?? []).map((chart) => drawn(chart, results)))
    parts.push(`_${[where, toText(versions)].filter((text) => text !== '').join('; ')}._`)
  }
  // As all files of the project are: tables with aligned columns.
  const biome = [require.resolve('@biomejs/biome/bin/biome'), 'format', `--stdin-file-path=${PAGE}`]
  return execFileSync(process.execPath, biome, {
    input: `${parts.join('\n\n')}\n`,
    encoding: 'utf8',
    cwd: join(PAGE, '../..'),
  })
}

/** Every figure that is to be reached, and, where one is not, what limits it. */
function targetTable(reports: ReadonlyMap<string, Report>): readonly string[] {
  const resultsOf = ({ benchmark }: Target): unknown => reports.get(benchmark)?.results
  const outcomes = TARGETS.map((target) => outcomeOf(target, resultsOf(target)))
  const rows = outcomes.map(({ target, figure, isReached }) => ({
    benchmark: target.benchmark,
    what: target.what,
    'to reach': wantedOf(target),
    measured: valueAt(resultsOf(target), target.path) ?? 'not yet',
    reached: figure === undefined ? '' : isReached ? 'yes' : 'no',
  }))
  const missed = outcomes.filter(({ isReached, figure }) => !isReached && figure !== undefined)
  const limits = missed.map(({ target }) => `- ${target.what}: ${limitOf(target, resultsOf(target))}`)
  return [
    toMarkdown(rows),
    ...(limits.length > 0 ? ['What limits those that are not reached:', limits.join('\n')] : []),
  ]
}

function toText(versions: Readonly<Record<string, string>> = {}): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')
}

async function readReport(name: string): Promise<Report | undefined> {
  const text = await readFile(join(import.meta.dirname, 'results', `${name}.json`), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Report)
}
