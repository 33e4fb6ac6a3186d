/**
 * A context that is re-indexed again and again, with four settings in turn. A search must find exactly one of four
 * results, which the first life of the test learns while nothing else happens.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MemoryEmbeddingModel } from '../../dist/adapters/memory/index.js'
import type { Session } from '../../dist/src/index.js'

export const MODES = ['hybrid', 'semantic', 'keyword'] as const
export type Mode = (typeof MODES)[number]
export const DOCUMENTS = 12
const PROMPT = 'a heron that nests in reeds and eats fish'
const PARAGRAPHS = 3

/** Each model has a length of vectors and a window of its own: a search that mixed them would fail, or find less. */
export function twoModels(): readonly MemoryEmbeddingModel[] {
  return [
    new MemoryEmbeddingModel({ windowTokens: 34 }),
    new MemoryEmbeddingModel({ id: 'second', fingerprint: 'second-1', dimensions: 32, windowTokens: 26 }),
  ]
}

/** In turn, the size of chunks and the model change. */
export const SETTINGS = [
  { embeddingModel: 'memory', chunkSizeTokens: 40 },
  { embeddingModel: 'memory', chunkSizeTokens: 20 },
  { embeddingModel: 'second', chunkSizeTokens: 20 },
  { embeddingModel: 'second', chunkSizeTokens: 40 },
] as const

/** Number of the settings, or of a later turn of them. */
export function settingsAt(turn: number): (typeof SETTINGS)[number] {
  return SETTINGS[turn % SETTINGS.length] ?? SETTINGS[0]
}

/** The number of these settings in {@link SETTINGS}. */
export function numberOf(settings: { readonly embeddingModel: string; readonly chunkSizeTokens: number }): number {
  return SETTINGS.findIndex(
    ({ embeddingModel, chunkSizeTokens }) =>
      embeddingModel === settings.embeddingModel && chunkSizeTokens === settings.chunkSizeTokens,
  )
}

/** The result of each mode, for each of the settings, as text. */
type Learned = readonly Readonly<Record<Mode, string>>[]

/** The knowledge of the first life, for the later ones. */
export interface Plan {
  readonly contextId: number
  /** The context whose documents change while it is re-indexed. */
  readonly changingId: number
  readonly learned: Learned
}

const planFile = (folder: string): string => join(folder, 'plan.json')

/** @returns undefined before the end of the first life */
export async function readPlan(folder: string): Promise<Plan | undefined> {
  const text = await readFile(planFile(folder), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Plan)
}

/** Creates both contexts, learns the results of the first one, and stores them in the folder. */
export async function makePlan(session: Session, folder: string): Promise<Plan> {
  const create = async (name: string): Promise<number> => {
    const settings = { ...settingsAt(0), overlap: 0, scoreThreshold: 0 }
    return (await session.contexts.create({ name, description: '', caption: '', toolsJson: '[]', settings })).id
  }
  const contextId = await create('Stable')
  const changingId = await create('Changing')
  for (let number = 0; number < DOCUMENTS; number += 1) {
    const uuid = await session.documents.upload(contextId, { fileName: `bird-${number}.txt`, content: textOf(number) })
    await session.documents.whenProcessed(uuid)
  }
  const learned: Record<Mode, string>[] = []
  for (const settings of SETTINGS) {
    await session.contexts.update(contextId, { settings })
    await session.contexts.whenReindexed(contextId)
    learned.push({
      hybrid: await resultOf(session, contextId, 'hybrid'),
      semantic: await resultOf(session, contextId, 'semantic'),
      keyword: await resultOf(session, contextId, 'keyword'),
    })
  }
  for (const mode of MODES) {
    const different = new Set(learned.map((results) => results[mode])).size
    if (different < SETTINGS.length) throw new Error(`${mode} finds the same with different settings`)
  }
  const plan = { contextId, changingId, learned }
  await writeWhole(planFile(folder), plan)
  return plan
}

/** Most words are those of all documents, so that each search finds each chunk. */
function textOf(number: number): string {
  return Array.from({ length: PARAGRAPHS }, (_, at) => {
    const place = `lake${number} of valley${(number * 7 + at) % 5}`
    return `The heron of ${place} nests in reeds and eats fish at dawn. It rests on one leg when rain falls on shore ${at}.`
  }).join('\n\n')
}

/** Everything that a search finds: names, texts and similarities, in an order that does not depend on equal scores. */
export async function resultOf(session: Session, contextId: number, mode: Mode): Promise<string> {
  const hits = await session.search(contextId, PROMPT, { mode, topN: 100, collapse: false })
  const rows = hits.map(({ source, content, similarity }) =>
    JSON.stringify([source.originalName, content, similarity.toFixed(4)]),
  )
  return rows.sort().join('\n')
}

/**
 * A search finds exactly the result of the settings that were present at its beginning, or of those that came until its
 * end.
 * @returns a sentence if it does not
 */
export async function problemOfSearch(session: Session, plan: Plan, mode: Mode): Promise<string | undefined> {
  const { contextId, learned } = plan
  const before = await session.contexts.settings(contextId)
  const result = await resultOf(session, contextId, mode).catch((error: unknown) => String(error))
  const after = await session.contexts.settings(contextId)
  const [from, to] = [numberOf(before), numberOf(after)]
  const numbers = [from]
  while (numbers.at(-1) !== to) numbers.push(((numbers.at(-1) ?? 0) + 1) % SETTINGS.length)
  if (numbers.some((number) => learned[number]?.[mode] === result)) return undefined
  const same = learned.findIndex((results) => results[mode] === result)
  const facts = `${mode}, settings ${from} to ${to}, building ${JSON.stringify([before.reindexing, after.reindexing])}`
  if (same >= 0) return `the result of settings ${same}: ${facts}`
  return `a result of no settings: ${facts}, ${differenceOf(result, learned[from]?.[mode] ?? '')}`
}

function differenceOf(result: string, expected: string): string {
  const [rows, wanted] = [result.split('\n'), expected.split('\n')]
  const missing = wanted.filter((row) => !rows.includes(row))
  const other = rows.filter((row) => !wanted.includes(row))
  return `${rows.length} rows for ${wanted.length}; missing: ${missing.slice(0, 3).join('; ')}; other: ${other.slice(0, 3).join('; ')}`
}

/** Replaces a file by JSON, so that a kill leaves the old text or the new one. */
export async function writeWhole(file: string, value: unknown): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(value))
  await rename(`${file}.new`, file)
}
