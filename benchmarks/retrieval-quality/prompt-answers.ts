import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { PASSAGE_KINDS, type PassageKind, type Session } from '../../dist/src/index.js'
import { sharedData } from '../harness/shared-data.js'
import { type CharacterRange, coveredCharacters, intersection } from './character-ranges.js'
import { withDocuments } from './retrieval-engine.js'
import { meanOf } from './retrieval-scores.js'
import {
  corpusOf,
  type PassageQuestion,
  readCorpora,
  readPassageQuestions,
  type SetDocument,
} from './retrieval-sets.js'

/** `maxTokens` of the prompts. */
const BUDGETS = [1_000, 2_000, 4_000]
const SETS = ['chroma', 'covidqa-papers', 'qmsum-meetings']
const DEFAULT_CHUNKS = { chunkSizeTokens: 1_000, overlap: 0.2 }

/** Prompts of one set, budget and kind of passages. */
interface PromptScores {
  readonly set: string
  readonly questions: number
  readonly budget: number
  readonly passages: PassageKind
  /** Share of the questions whose whole answer is in the prompt. */
  readonly held: number
  /** Mean share of the answer's characters that are in the prompt. */
  readonly share: number
  readonly tokens: number
}

/** Measures how many prompts of `prepare` have the answer to their question. */
export async function measurePrompts(isQuick: boolean): Promise<PromptScores[]> {
  const scores: PromptScores[] = []
  for (const set of isQuick ? SETS.slice(0, 1) : SETS) {
    const all = await readRanges(set)
    const documents = all.documents.slice(0, isQuick ? 1 : undefined)
    const names = new Set(documents.map(({ fileName }) => corpusOf(fileName)))
    const asked = all.questions
      .filter(({ references }) => references.every(({ corpus }) => names.has(corpus)))
      .slice(0, isQuick ? 20 : undefined)
    const measured = await withDocuments(DEFAULT_CHUNKS, documents, async ({ session, contextId }) => {
      const rows: PromptScores[] = []
      for (const budget of isQuick ? BUDGETS.slice(1, 2) : BUDGETS) {
        for (const passages of PASSAGE_KINDS) {
          const prompts = []
          for (const each of asked) prompts.push(await promptFor(session, contextId, each, { budget, passages }))
          const [held, share, tokens] = [
            meanOf(prompts.map((prompt) => (prompt.share === 1 ? 1 : 0))),
            meanOf(prompts.map((prompt) => prompt.share)),
            Math.round(meanOf(prompts.map((prompt) => prompt.tokens))),
          ]
          rows.push({ set, questions: asked.length, budget, passages, held, share, tokens })
        }
      }
      return rows
    })
    scores.push(...measured)
  }
  return scores
}

async function promptFor(
  session: Session,
  contextId: number,
  { question, references }: PassageQuestion,
  { budget, passages }: { readonly budget: number; readonly passages: PassageKind },
): Promise<{ readonly share: number; readonly tokens: number }> {
  const { sources, tokens } = await session.prepare(contextId, question, { maxTokens: budget, passages })
  const quoted = sources.map(({ originalName, start, end }) => ({ corpus: corpusOf(originalName), start, end }))
  const share = coveredCharacters(intersection(references, quoted)) / coveredCharacters(references)
  return { share, tokens }
}

interface RangedSet {
  readonly documents: readonly SetDocument[]
  readonly questions: readonly PassageQuestion[]
}

async function readRanges(set: string): Promise<RangedSet> {
  const folder = sharedData('retrieval', set) ?? ''
  if (set === 'chroma') return { documents: await readCorpora(folder), questions: await readPassageQuestions(folder) }
  const corpus = gunzipSync(await readFile(join(folder, 'corpus.jsonl.gz'))).toString()
  const rows = jsonLines<{ readonly _id: string; readonly text: string }>(corpus)
  const documents = rows.map(({ _id, text }) => ({ key: _id, fileName: `${_id}.md`, content: Buffer.from(text) }))
  const ranges = new Map<string, CharacterRange[]>()
  const [, ...lines] = (await readFile(join(folder, 'ranges.tsv'), 'utf8')).trim().split('\n')
  for (const line of lines) {
    const [query = '', document = '', start, end] = line.split('\t')
    const range = { corpus: document, start: Number(start), end: Number(end) }
    ranges.set(query, [...(ranges.get(query) ?? []), range])
  }
  const queries = jsonLines<{ readonly _id: string; readonly text: string }>(
    await readFile(join(folder, 'queries.jsonl'), 'utf8'),
  )
  const questions = queries.flatMap(({ _id, text }) => {
    const references = ranges.get(_id)
    return references === undefined ? [] : [{ question: text, references }]
  })
  return { documents, questions }
}

function jsonLines<T>(text: string): T[] {
  const lines = text.trim().split('\n')
  return lines.map((line) => JSON.parse(line) as T)
}
