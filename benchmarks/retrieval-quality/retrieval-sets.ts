import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { sharedData } from '../harness/shared-data.js'
import type { CharacterRange } from './character-ranges.js'
import { similarDocuments } from './similar-documents.js'

/** A file to ingest. */
export interface SetDocument {
  /** Identifies it in the judgements. */
  readonly key: string
  readonly fileName: string
  readonly content: Uint8Array
}

/** A question of Chroma's evaluation, with the passages that answer it. */
export interface PassageQuestion {
  readonly question: string
  readonly references: readonly CharacterRange[]
}

/** A question with the keys of the documents that answer it. Each has a gain. */
export interface DocumentQuestion {
  readonly question: string
  readonly judged: ReadonlyMap<string, number>
  /** Messages of the user before the question, the oldest first. Default: none. */
  readonly before?: readonly string[]
}

/** Documents with questions that some of them answer. */
export interface DocumentSet {
  readonly documents: readonly SetDocument[]
  readonly questions: readonly DocumentQuestion[]
}

export const SIMILAR_DOCUMENTS = 'similar documents'

/** Chroma's corpora with open licences. A corpus has the name of its file. */
export async function readCorpora(folder: string): Promise<SetDocument[]> {
  const files = await readdir(join(folder, 'corpora'))
  return await Promise.all(
    files.map(async (fileName) => {
      return { key: fileName, fileName, content: await readFile(join(folder, 'corpora', fileName)) }
    }),
  )
}

export async function readPassageQuestions(folder: string): Promise<PassageQuestion[]> {
  const rows = parse<Record<'question' | 'references' | 'corpus_id', string>>(
    await readFile(join(folder, 'questions_df.csv'), 'utf8'),
    { columns: true },
  )
  return rows.map(({ question, references, corpus_id: corpus }) => {
    const found = JSON.parse(references) as readonly { readonly start_index: number; readonly end_index: number }[]
    return { question, references: found.map((each) => ({ corpus, start: each.start_index, end: each.end_index })) }
  })
}

/** The places of a document's title: in front of its text, in its file's name, or nowhere. */
export type TitlePlace = 'text' | 'name' | 'none'

/** Reads a set of the shared data by its name, or makes the generated set. @returns `undefined` if the set is not here */
export async function readDocumentSet(name: string, titleIn: TitlePlace): Promise<DocumentSet | undefined> {
  if (name === SIMILAR_DOCUMENTS) return generatedSet()
  const folder = sharedData('retrieval', name)
  if (folder === undefined) return undefined
  const rows = jsonLines<{ _id: string; title?: string; text: string; ext?: string }>(
    gunzipSync(await readFile(join(folder, 'corpus.jsonl.gz'))).toString(),
  )
  const documents = rows
    .map(({ _id, title = '', text, ext = 'txt' }) => ({
      key: _id,
      fileName: `${titleIn === 'name' && title !== '' ? title.replaceAll('/', ' ').slice(0, MAX_NAME) : _id}.${ext}`,
      text: titleIn === 'text' ? `${title}\n\n${text}`.trim() : text,
    }))
    .filter(({ text }) => text !== '')
  const queries = jsonLines<{ _id: string; text: string; users?: readonly string[] }>(
    await readFile(join(folder, 'queries.jsonl'), 'utf8'),
  )
  const relevance = await readRelevance(join(folder, 'qrels.tsv'))
  const questions = queries.flatMap(({ _id, text, users }) => {
    const judged = relevance.get(_id)
    return judged === undefined ? [] : [{ question: text, judged, ...(users && { before: users.slice(0, -1) }) }]
  })
  return { documents: documents.map(toDocument), questions }
}

/** Longest title in a file's name, in UTF-16 units: file systems accept 255 bytes. */
const MAX_NAME = 80

function generatedSet(): DocumentSet {
  const { documents, questions } = similarDocuments()
  return {
    documents: documents.map(({ fileName, text }) => toDocument({ key: fileName, fileName, text })),
    questions: questions.map(({ question, fileName }) => ({ question, judged: new Map([[fileName, 1]]) })),
  }
}

function toDocument({ text, ...names }: Omit<SetDocument, 'content'> & { readonly text: string }): SetDocument {
  return { ...names, content: Buffer.from(text) }
}

/** The relevant documents of each query, with their gains. */
async function readRelevance(file: string): Promise<Map<string, Map<string, number>>> {
  const relevance = new Map<string, Map<string, number>>()
  for (const line of (await readFile(file, 'utf8')).trim().split('\n')) {
    const [query = '', document = '', score = ''] = line.split('\t')
    if (!/^\d/.test(score)) continue
    const judged = relevance.get(query) ?? new Map<string, number>()
    if (Number(score) > 0) relevance.set(query, judged.set(document, Number(score)))
  }
  return relevance
}

/** The name of a corpus in the questions. */
export function corpusOf(fileName: string): string {
  return basename(fileName, '.md')
}

function jsonLines<T>(text: string): T[] {
  const lines = text.trim().split('\n')
  return lines.map((line) => JSON.parse(line) as T)
}
