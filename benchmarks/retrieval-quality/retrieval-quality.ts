/**
 * Q1: the quality of the passages that a search finds through the public API, in each mode of the engine. Other
 * libraries search the same chunks. The results are deterministic, so there is one run.
 *
 * The five best chunks are scored by recall, precision and IoU of characters, as in Chroma's chunking evaluation
 * (https://github.com/brandonstarxel/chunking_evaluation). Its three corpora with open licences are in one context.
 * Cranfield and CISI are scored by nDCG@10. XQuAD in three languages, and generated documents that are nearly alike,
 * are scored by hit@1. There each document is one chunk. Sets of how people ask are cut at the default settings, with
 * the title of each document as its name, or with an id.
 * Prompts of `prepare` are scored by the answers that they hold.
 *
 * Questions are asked again with 120 words of instructions, small talk or a story around them, with typing errors and in
 * other forms, and follow-ups with the messages before them. Each is scored by hit@1 with the chunks of the default settings.
 *
 * The references of the semantic mode come from another program with a plain exact scan. The program ends with 1 if a
 * semantic score is more than 0.01 below its reference, or a precision more than a tenth. It also ends with 1 if a
 * hybrid score misses its target.
 */

import { fail, writeReport } from '../harness/report.js'
import { sharedData } from '../harness/shared-data.js'
import { measureDisturbed, measureFollowUps } from './disturbed-step.js'
import { leastOverReference, missedReferences, scoresOf } from './missed-references.js'
import { measurePrompts } from './prompt-answers.js'
import { withDocuments } from './retrieval-engine.js'
import { openFinder, SEMANTIC } from './retrieval-finders.js'
import { characterScores, meanOf, ndcg } from './retrieval-scores.js'
import {
  corpusOf,
  type DocumentQuestion,
  readCorpora,
  readDocumentSet,
  readPassageQuestions,
  SIMILAR_DOCUMENTS,
  type TitlePlace,
} from './retrieval-sets.js'

/**
 * Chunk size and overlap. The reference of the recall has windows that overlap by 64 tokens, the reference of the
 * precision has none.
 */
const CHUNKINGS = [
  { chunkSizeTokens: 1_000, overlap: 0.2, referenceRecall: 0.995, referencePrecision: 0.0121 },
  { chunkSizeTokens: 400, overlap: 0.2, referenceRecall: 0.935, referencePrecision: 0.028 },
  { chunkSizeTokens: 250, overlap: 0.5, referenceRecall: 0.898, referencePrecision: 0.0438 },
  { chunkSizeTokens: 200, overlap: 0, referenceRecall: 0.849, referencePrecision: 0.052 },
]
const RETRIEVED_CHUNKS = 5

/** Documents are whole, as in the reference program, or cut at the default settings. */
const WHOLE = { chunkSizeTokens: 8_192, overlap: 0 }
const CUT = {}

/** Documents with judged answers to queries, and the score of the reference program. */
const COLLECTIONS = [
  ...[
    { name: 'cranfield', measure: 'nDCG@10', reference: 0.379 },
    { name: 'cisi', measure: 'nDCG@10', reference: 0.428 },
    { name: 'xquad-en', measure: 'hit@1', reference: null },
    { name: 'xquad-es', measure: 'hit@1', reference: null },
    { name: 'xquad-zh', measure: 'hit@1', reference: null },
    { name: SIMILAR_DOCUMENTS, measure: 'hit@1', reference: null },
  ].map((collection) => ({ ...collection, titleIn: 'text', settings: WHOLE }) as const),
  ...['fetaqa-csv', 'tydi-fi', 'tydi-ru', 'tydi-ar', 'tydi-ko', 'tquad-tr'].map(named('name')),
  ...['tydi-fi', 'tydi-ru', 'tydi-ar', 'tydi-ko', 'tquad-tr', 'squad-it', 'faquad-pt'].map(named('none')),
  ...['locomo-chat', 'covidqa-papers', 'cosqa-code', 'mtragun-chat', 'qmsum-meetings'].map(named('name')),
]

function named(titleIn: TitlePlace) {
  return (name: string) => ({ name, measure: 'hit@1', reference: null, titleIn, settings: CUT })
}
const RETRIEVED_DOCUMENTS = 10

const isQuick = process.argv.includes('--quick')
const chroma = sharedData('retrieval', 'chroma')
if (chroma === undefined) {
  console.log(
    'left out: the retrieval sets are not here (they are in the folder data of the one that ALCOVE_SHARED names)',
  )
} else {
  const chunkings = []
  for (const chunking of isQuick ? CHUNKINGS.slice(1, 2) : CHUNKINGS)
    chunkings.push(...(await measureChunking(chroma, chunking)))
  console.table(chunkings)
  const collections = []
  for (const collection of isQuick ? [] : COLLECTIONS) collections.push(...(await measureCollection(collection)))
  console.table(collections)
  const prompts = await measurePrompts(isQuick)
  console.table(prompts)
  const disturbed = await measureDisturbed(isQuick)
  console.table(disturbed)
  const followUps = isQuick ? [] : await measureFollowUps()
  console.table(followUps)
  if (!isQuick) {
    const scores = [...scoresOf(chunkings), ...collections]
    writeReport('retrieval-quality', {
      chunkings,
      collections,
      prompts,
      disturbed,
      followUps,
      leastOverReference: Math.round(leastOverReference(scores) * 10_000) / 10_000,
    })
    for (const sentence of missedReferences(scores)) fail(sentence)
  }
}

async function measureChunking(folder: string, chunking: (typeof CHUNKINGS)[number]) {
  const { referenceRecall, referencePrecision, ...settings } = chunking
  const corpora = (await readCorpora(folder)).slice(0, isQuick ? 1 : undefined)
  const names = corpora.map(({ fileName }) => corpusOf(fileName))
  const questions = (await readPassageQuestions(folder))
    .filter(({ references }) => references.every(({ corpus }) => names.includes(corpus)))
    .slice(0, isQuick ? 20 : undefined)
  return await withDocuments(settings, corpora, async (context) => {
    const ranges = new Map(
      context.chunks.map(({ id, fileName, start, content }) => {
        return [id, { corpus: corpusOf(fileName), start, end: start + content.length }]
      }),
    )
    const find = await openFinder(context)
    const scores = new Map<string, ReturnType<typeof characterScores>[]>()
    for (const { question, references } of questions) {
      for (const [by, ids] of await find(question, RETRIEVED_CHUNKS)) {
        const retrieved = ids.flatMap((id) => ranges.get(id) ?? [])
        scores.set(by, [...(scores.get(by) ?? []), characterScores(references, retrieved)])
      }
    }
    return [...scores].map(([by, each]) => ({
      ...settings,
      chunks: ranges.size,
      by,
      recall: meanOf(each.map(({ recall }) => recall)),
      reference: by === SEMANTIC ? referenceRecall : null,
      precision: meanOf(each.map(({ precision }) => precision)),
      referencePrecision: by === SEMANTIC ? referencePrecision : null,
      iou: meanOf(each.map(({ iou }) => iou)),
    }))
  })
}

async function measureCollection({ name, measure, reference, titleIn, settings }: (typeof COLLECTIONS)[number]) {
  const set = await readDocumentSet(name, titleIn)
  if (set === undefined) return []
  const { documents, questions } = set
  return await withDocuments(settings, documents, async (context) => {
    const keys = new Map(context.chunks.map(({ id, key }) => [id, key]))
    const find = await openFinder(context)
    const scores = new Map<string, number[]>()
    for (const { question, judged } of questions) {
      for (const [by, ids] of await find(question, RETRIEVED_DOCUMENTS)) {
        // A document counts once, at its best chunk.
        const found = new Set(ids.map((id) => keys.get(id) ?? ''))
        const score = scoreOf([...found], judged, measure)
        scores.set(by, [...(scores.get(by) ?? []), score])
      }
    }
    return [...scores].map(([by, each]) => ({
      collection: name,
      title: titleIn,
      documents: documents.length,
      queries: each.length,
      measure,
      by,
      score: meanOf(each),
      reference: by === SEMANTIC ? reference : null,
    }))
  })
}

function scoreOf(found: readonly string[], judged: DocumentQuestion['judged'], measure: string): number {
  const gains = found.map((key) => judged.get(key) ?? 0)
  return measure === 'hit@1' ? Math.min(1, gains[0] ?? 0) : ndcg(gains, [...judged.values()])
}
