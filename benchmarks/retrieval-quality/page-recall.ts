/**
 * Page recall: the share of the pages with evidence that are among the pages of the five best chunks, for questions of
 * FinanceBench about filings in PDF. The path of the headings is read in front of the embedded text, of the indexed
 * words, of both, or of neither. Each question is asked of its own filing, and of all filings together.
 *
 *     npm run build && npx tsx benchmarks/retrieval-quality/page-recall.ts [--folder PATH] [--tokens N] [--most N]
 *
 * The folder has `questions.jsonl` and `pdfs`. Default: the set of the shared data. `--most` limits the filings to those
 * with the fewest bytes for each question. The search of one filing is a search with a filter: the frequencies of words
 * are those of all filings.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openLocalEngine } from '../../dist/adapters/local/index.js'
import type { Session } from '../../dist/src/index.js'
import type { EmbeddingModel } from '../../dist/src/ports/index.js'
import { openDefaultModel } from '../harness/default-model.js'
import { sharedData } from '../harness/shared-data.js'
import { type FilingQuestion, readFilings } from './filings.js'
import {
  CurrentChunks,
  HEADING_VARIANTS,
  type HeadedChunk,
  type HeadingVariant,
  headedModel,
  headedWords,
  type KnownVectors,
} from './heading-variants.js'
import { meanOf } from './retrieval-scores.js'
import type { SetDocument } from './retrieval-sets.js'

const MODES = ['hybrid', 'semantic', 'keyword'] as const
const HITS = 5
const RANKED_HITS = 10

interface Score {
  /** Share of the pages with evidence among those of the five best chunks. */
  readonly recall: number
  /** 1 divided by the rank of the first chunk with evidence; 0 after the tenth. */
  readonly reciprocalRank: number
}

const { values } = parseArgs({
  options: { folder: { type: 'string' }, tokens: { type: 'string' }, most: { type: 'string' } },
})
const folder = values.folder ?? sharedData('retrieval', 'financebench')
if (folder === undefined) {
  console.log('left out: FinanceBench is not here (name its folder by --folder)')
} else {
  const settings = { chunkSizeTokens: Number(values.tokens ?? 1_000), overlap: 0.2 }
  await measure(folder, settings, Number(values.most ?? Infinity))
}

async function measure(
  from: string,
  settings: { readonly chunkSizeTokens: number; readonly overlap: number },
  most: number,
): Promise<void> {
  const filings = await readFilings(from)
  const count = (name: string): number => filings.questions.filter(({ fileName }) => fileName === name).length
  const costOf = ({ fileName, content }: SetDocument): number => content.length / count(fileName)
  const documents = [...filings.documents].sort((one, other) => costOf(one) - costOf(other)).slice(0, most)
  const names = new Set(documents.map(({ fileName }) => fileName))
  const questions = filings.questions.filter(({ fileName }) => names.has(fileName))
  const model = await openDefaultModel()
  const known: KnownVectors = new Map()
  const headed = new Map<string, readonly HeadedChunk[]>()
  const scores = new Map<string, readonly Score[]>()
  for (const variant of HEADING_VARIANTS) {
    const found = await searchVariant({ variant, documents, questions, settings, model, known, headed })
    for (const [key, each] of found) scores.set(`${variant.name}|${key}`, each)
    printScores(variant, found, scores)
  }
  const chunks = [...headed.values()].flat()
  const below = chunks.filter(({ headings }) => headings.length > 0).length
  console.log(
    `${documents.length} filings, ${questions.length} questions, ${chunks.length} chunks of ${settings.chunkSizeTokens} tokens, ${below} of them below a heading`,
  )
  await model.close()
}

function printScores(
  variant: HeadingVariant,
  found: ReadonlyMap<string, readonly Score[]>,
  all: ReadonlyMap<string, readonly Score[]>,
): void {
  console.table(
    [...found].map(([key, each]) => {
      const base = all.get(`${HEADING_VARIANTS[0]?.name ?? ''}|${key}`) ?? []
      const better = each.filter(({ recall }, at) => recall > (base[at]?.recall ?? 0)).length
      const worse = each.filter(({ recall }, at) => recall < (base[at]?.recall ?? 0)).length
      const [among, mode] = key.split('|')
      const recall = meanOf(each.map((score) => score.recall))
      const reciprocalRank = meanOf(each.map((score) => score.reciprocalRank))
      return { headings: variant.name, among, mode, 'recall@5': recall, 'MRR@10': reciprocalRank, better, worse }
    }),
  )
}

interface VariantRun {
  readonly variant: HeadingVariant
  readonly documents: readonly SetDocument[]
  readonly questions: readonly FilingQuestion[]
  readonly settings: { readonly chunkSizeTokens: number; readonly overlap: number }
  readonly model: EmbeddingModel
  readonly known: KnownVectors
  /** The chunks of each file with their headings: the first variant fills it. */
  readonly headed: Map<string, readonly HeadedChunk[]>
}

/** Ingests all filings and asks all questions. @returns scores by filing or all, and by mode */
async function searchVariant(run: VariantRun): Promise<ReadonlyMap<string, readonly Score[]>> {
  const { variant, documents, settings, headed } = run
  const dataDir = await mkdtemp(join(tmpdir(), 'alcove-benchmark-'))
  const current = new CurrentChunks()
  const engine = await openLocalEngine({
    dataDir,
    embeddingModels: [headedModel(run.model, current, run.known, variant.inVectors)],
    lexicalIndex: headedWords(dataDir, current, variant.inWords),
  })
  try {
    const session = engine.as(engine.owner)
    const texts = { name: 'Benchmark', description: '', caption: '', toolsJson: '[]' }
    const { id: contextId } = await session.contexts.create({ ...texts, settings })
    const ids = new Map<string, number>()
    for (const { fileName, content } of documents) {
      current.set(headed.get(fileName) ?? [])
      const began = performance.now()
      const uuid = await session.documents.upload(contextId, { fileName, content })
      const { id } = await session.documents.whenProcessed(uuid)
      ids.set(fileName, id)
      const chunks = await session.documents.chunks(uuid)
      if (!headed.has(fileName)) headed.set(fileName, chunks)
      console.log(
        `${variant.name}: ${fileName}, ${chunks.length} chunks, ${Math.round((performance.now() - began) / 1_000)} s`,
      )
    }
    return await askAll(session, contextId, run.questions, ids)
  } finally {
    await engine.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function askAll(
  session: Session,
  contextId: number,
  questions: readonly FilingQuestion[],
  ids: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, readonly Score[]>> {
  const scores = new Map<string, Score[]>()
  for (const { question, fileName, pages } of questions) {
    const id = ids.get(fileName) ?? 0
    for (const among of ['own filing', 'all filings']) {
      const filter = among === 'own filing' ? { documents: [id] } : {}
      for (const mode of MODES) {
        const options = { topN: RANKED_HITS, mode, scoreThreshold: 0, filter }
        const hits = await session.search(contextId, question, options)
        const found = hits.map(({ source: { originalName, pages: range } }) => {
          const isIn = (page: number): boolean =>
            originalName === fileName && range !== null && range.first <= page && page <= range.last
          return [...pages].filter(isIn)
        })
        const recall = new Set(found.slice(0, HITS).flat()).size / pages.size
        const rank = found.findIndex((each) => each.length > 0)
        const key = `${among}|${mode}`
        scores.set(key, [...(scores.get(key) ?? []), { recall, reciprocalRank: rank < 0 ? 0 : 1 / (rank + 1) }])
      }
    }
  }
  return scores
}
