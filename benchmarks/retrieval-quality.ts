/**
 * Q1: how good the passages are that a search finds, through the public API. Deterministic: one run.
 *
 * Character-level recall, precision and IoU of the five best chunks as in Chroma's chunking evaluation
 * (https://github.com/brandonstarxel/chunking_evaluation), on its three corpora with open licences in one context;
 * nDCG@10 on Cranfield and CISI, hit@1 on XQuAD, each document one chunk.
 * References are those of `models/README.md` of the shared design, measured by a plain exact scan; it has none for XQuAD.
 * Whatever is more than 0.01 below its reference, or of a precision a tenth, ends the program with 1.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { openLocalEngine } from '../dist/adapters/local/index.js'
import type { Session } from '../dist/src/index.js'
import { type CharacterRange, coveredCharacters, intersection } from './character-ranges.js'
import { leastOverReference, missedReferences, scoresOf } from './missed-references.js'
import { fail, writeReport } from './report.js'
import { sharedData } from './shared-data.js'

/** Chunk size and overlap; the recall of windows that overlap by 64 tokens, and the precision of windows that do not. */
const CHUNKINGS = [
  { chunkSizeTokens: 1_000, overlap: 0.2, referenceRecall: 0.995, referencePrecision: 0.0121 },
  { chunkSizeTokens: 400, overlap: 0, referenceRecall: 0.935, referencePrecision: 0.028 },
  { chunkSizeTokens: 250, overlap: 0.5, referenceRecall: 0.898, referencePrecision: 0.0438 },
  { chunkSizeTokens: 200, overlap: 0, referenceRecall: 0.849, referencePrecision: 0.052 },
]
const RETRIEVED_CHUNKS = 5

/** Documents with a judgement of which answer which query, and the score of the reference program. */
const COLLECTIONS = [
  { name: 'cranfield', measure: 'nDCG@10', reference: 0.379 },
  { name: 'cisi', measure: 'nDCG@10', reference: 0.428 },
  { name: 'xquad-en', measure: 'hit@1', reference: undefined },
] as const

interface Question {
  readonly question: string
  readonly references: readonly CharacterRange[]
}

const isQuick = process.argv.includes('--quick')
const chroma = sharedData('retrieval', 'chroma')
if (chroma === undefined) {
  console.log(
    'left out: the retrieval sets are not here (they are in the folder data of the one that ALCOVE_SHARED names)',
  )
} else {
  const chunkings = []
  for (const chunking of isQuick ? CHUNKINGS.slice(1, 2) : CHUNKINGS)
    chunkings.push(await measureChunking(chroma, chunking))
  console.table(chunkings)
  const collections = []
  for (const collection of isQuick ? [] : COLLECTIONS) collections.push(await measureCollection(collection))
  console.table(collections)
  if (!isQuick) {
    const scores = [...scoresOf(chunkings), ...collections]
    writeReport('retrieval-quality', { chunkings, collections, leastOverReference: round(leastOverReference(scores)) })
    for (const sentence of missedReferences(scores)) fail(sentence)
  }
}

async function measureChunking(folder: string, chunking: (typeof CHUNKINGS)[number]) {
  const { referenceRecall, referencePrecision, ...settings } = chunking
  return await withContext(settings, async (session, contextId) => {
    const corpora = new Map<number, string>()
    const files = await readdir(join(folder, 'corpora'))
    for (const file of isQuick ? files.slice(0, 1) : files) {
      const uuid = await ingest(session, contextId, file, await readFile(join(folder, 'corpora', file)))
      corpora.set((await session.documents.get(uuid)).id, basename(file, '.md'))
    }
    const ranges = new Map<number, CharacterRange>()
    for (const { fileName } of await session.documents.list(contextId)) {
      for (const { id, docId, start, content } of await session.documents.chunks(fileName)) {
        ranges.set(id, { corpus: corpora.get(docId) ?? '', start, end: start + content.length })
      }
    }
    const questions = (await readQuestions(folder)).slice(0, isQuick ? 20 : undefined)
    const scores = { recall: 0, precision: 0, iou: 0 }
    for (const { question, references } of questions) {
      const found = await session.search(contextId, question, { topN: RETRIEVED_CHUNKS })
      const retrieved = found.flatMap(({ id }) => ranges.get(id) ?? [])
      const hit = coveredCharacters(intersection(references, retrieved))
      const wanted = coveredCharacters(references)
      const read = retrieved.reduce((sum, { start, end }) => sum + end - start, 0)
      scores.recall += hit / wanted
      scores.precision += hit / read
      scores.iou += hit / (wanted + read - hit)
    }
    const mean = (sum: number): number => round(sum / questions.length)
    return {
      ...settings,
      chunks: ranges.size,
      recall: mean(scores.recall),
      reference: referenceRecall,
      precision: mean(scores.precision),
      referencePrecision,
      iou: mean(scores.iou),
    }
  })
}

async function readQuestions(folder: string): Promise<Question[]> {
  const rows = parse<Record<'question' | 'references' | 'corpus_id', string>>(
    await readFile(join(folder, 'questions_df.csv'), 'utf8'),
    { columns: true },
  )
  return rows.map(({ question, references, corpus_id: corpus }) => {
    const found = JSON.parse(references) as readonly { readonly start_index: number; readonly end_index: number }[]
    return { question, references: found.map((each) => ({ corpus, start: each.start_index, end: each.end_index })) }
  })
}

async function measureCollection({ name, measure, reference }: (typeof COLLECTIONS)[number]) {
  const folder = sharedData('retrieval', name) ?? ''
  const documents = jsonLines<{ _id: string; title?: string; text: string }>(
    gunzipSync(await readFile(join(folder, 'corpus.jsonl.gz'))).toString(),
  )
  const queries = jsonLines<{ _id: string; text: string }>(await readFile(join(folder, 'queries.jsonl'), 'utf8'))
  const relevance = await readRelevance(join(folder, 'qrels.tsv'))
  return await withContext({ chunkSizeTokens: 8_192, overlap: 0 }, async (session, contextId) => {
    const ids = new Map<number, string>()
    for (const { _id, title = '', text } of documents) {
      const body = `${title}\n\n${text}`.trim()
      if (body === '') continue
      const uuid = await ingest(session, contextId, `${_id}.txt`, Buffer.from(body))
      ids.set((await session.documents.get(uuid)).id, _id)
    }
    const scores: number[] = []
    for (const { _id, text } of queries) {
      const judged = relevance.get(_id)
      if (judged === undefined) continue
      const found = await session.search(contextId, text, { topN: 10 })
      const gains = found.map(({ docId }) => judged.get(ids.get(docId) ?? '') ?? 0)
      scores.push(measure === 'hit@1' ? Math.min(1, gains[0] ?? 0) : ndcg(gains, [...judged.values()]))
    }
    const score = round(scores.reduce((sum, each) => sum + each, 0) / scores.length)
    return {
      collection: name,
      documents: ids.size,
      queries: scores.length,
      measure,
      score,
      reference: reference ?? null,
    }
  })
}

async function readRelevance(file: string): Promise<Map<string, Map<string, number>>> {
  const relevance = new Map<string, Map<string, number>>()
  for (const line of (await readFile(file, 'utf8')).trim().split('\n')) {
    const [query = '', document = '', score = ''] = line.split('\t')
    if (!/^\d/.test(score)) continue
    const judged = relevance.get(query) ?? new Map<string, number>()
    relevance.set(query, judged.set(document, Number(score)))
  }
  return relevance
}

/** Järvelin and Kekäläinen 2002, with gains as judged, over the ten best. */
function ndcg(gains: readonly number[], judged: readonly number[]): number {
  const discounted = (values: readonly number[]): number =>
    values.slice(0, 10).reduce((sum, gain, rank) => sum + gain / Math.log2(rank + 2), 0)
  const ideal = discounted([...judged].sort((one, other) => other - one))
  return ideal === 0 ? 0 : discounted(gains) / ideal
}

async function withContext<T>(
  settings: { readonly chunkSizeTokens: number; readonly overlap: number },
  work: (session: Session, contextId: number) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'alcove-benchmark-'))
  const engine = await openLocalEngine({ dataDir })
  try {
    const session = engine.as(engine.owner)
    const texts = { name: 'Benchmark', description: '', caption: '', toolsJson: '[]' }
    const { id } = await session.contexts.create({ ...texts, settings })
    return await work(session, id)
  } finally {
    await engine.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function ingest(session: Session, contextId: number, fileName: string, content: Uint8Array): Promise<string> {
  const uuid = await session.documents.upload(contextId, { fileName, content })
  await session.documents.whenProcessed(uuid)
  return uuid
}

function jsonLines<T>(text: string): T[] {
  const lines = text.trim().split('\n')
  return lines.map((line) => JSON.parse(line) as T)
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
