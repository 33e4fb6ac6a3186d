/**
 * An engine in a separate process that acts at random until it is killed. Usage: `soak-child.ts ORDER`, with the order
 * as JSON. It reports every call to its parent before and after it.
 */
import { join } from 'node:path'
import { DeviceEmbeddingModel } from '../../../dist/adapters/device/index.js'
import { openLocalEngine } from '../../../dist/adapters/local/index.js'
import { AlcoveError, type Document } from '../../../dist/src/index.js'
import { bundledModel } from '../../bundled-model.js'
import { pick, seededRandom } from '../../seeded-random.js'
import {
  Deadly,
  DeadlyFileStore,
  DeadlyLexicalIndex,
  DeadlyTextExtractor,
  DeadlyVectorIndex,
  watchCompaction,
} from '../deadly-ports.js'
import { QuickModel } from '../quick-model.js'
import { make, newRecipe, type Recipe } from './soak-documents.js'
import { type Call, type ChildOrder, type Outcome, tell } from './soak-protocol.js'

/** The number of calls in progress at a time. */
const ACTORS = 3
const MOST_DOCUMENTS = 30
const SEARCHES = 20

const order = JSON.parse(process.argv[2] ?? '') as ChildOrder
const random = seededRandom(order.seed)
const deadly = new Deadly(order.hook)
await watchCompaction(deadly)
const vectorIndex = new DeadlyVectorIndex(join(order.dataDir, 'vectors'), deadly)
const lexicalIndex = new DeadlyLexicalIndex(join(order.dataDir, 'words'), deadly)
const quick = await QuickModel.open({ dimensions: 64, delayMs: () => random() * 40 })
const embed = quick.embed.bind(quick)
quick.embed = async (texts, options) => await deadly.during('embed', () => embed(texts, options))
const engine = await openLocalEngine({
  dataDir: order.dataDir,
  vectorIndex,
  lexicalIndex,
  fileStore: new DeadlyFileStore(join(order.dataDir, 'files'), deadly),
  textExtractor: new DeadlyTextExtractor(deadly),
  embeddingModels: order.hasRealModel ? [quick, await DeviceEmbeddingModel.open(bundledModel)] : [quick],
  telemetry: {
    record: ({ name, fields = {}, error }) =>
      void process.send?.({
        type: 'telemetry',
        name,
        fields: {
          ...fields,
          ...(error !== undefined && { error: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown' }),
        },
      }),
  },
})
const session = engine.as(engine.owner)
let calls = 0
process.on('disconnect', () => process.exit(1))
await tell({ type: 'ready' })
if (order.task === 'settle') await settle()
else await Promise.all(Array.from({ length: ACTORS }, act))

async function act(): Promise<void> {
  const recipes: Recipe[] = []
  for (;;) {
    const contexts = await session.contexts.list()
    const context = pick(random, [undefined, ...contexts])
    const dice = random()
    if (contexts.length < 2 || (contexts.length < 4 && dice < 0.03)) await createContext(contexts.length)
    else if (context !== undefined) await actIn(context.id, dice, recipes)
  }
}

async function actIn(contextId: number, dice: number, recipes: Recipe[]): Promise<void> {
  const documents = await quietly(() => session.documents.list(contextId), [])
  const document = documents[Math.floor(random() * documents.length)]
  if (dice < 0.04) await called({ type: 'delete-context', contextId }, async () => session.contexts.delete(contextId))
  else if (document !== undefined && (dice < 0.25 || documents.length > MOST_DOCUMENTS)) await remove(document)
  // Maintenance runs here on request, because on its own it needs more writes than a life of the process has.
  else if (dice < 0.28) void quietly(() => putInOrder(), undefined)
  else if (dice < 0.35) await search(contextId, documents)
  else if (dice < 0.4 && document?.error) await quietly(() => session.documents.retry(document.fileName), undefined)
  else if (dice < 0.48) await uploadInVain(contextId)
  else await upload(contextId, recipes)
}

async function putInOrder(): Promise<void> {
  await Promise.all([vectorIndex.whenMaintained(), lexicalIndex.whenMaintained()])
}

/** A search finds no document that was deleted before it started, by words or by meaning. */
async function search(contextId: number, before: readonly Document[]): Promise<void> {
  const lastId = Math.max(0, ...before.map(({ id }) => id))
  const ids = new Set(before.map(({ id }) => id))
  const results = await quietly(() => session.search(contextId, 'a lamp in the garden', { topN: 100 }), [])
  const ghosts = results.filter(({ docId }) => docId <= lastId && !ids.has(docId))
  for (const { docId } of ghosts) await tell({ type: 'ghost', problem: `a search found the deleted document ${docId}` })
}

async function createContext(there: number): Promise<void> {
  const embeddingModel = order.hasRealModel && there === 1 ? 'all-MiniLM-L6-v2' : 'quick'
  const settings = { chunkSizeTokens: 60, overlap: 0, embeddingModel }
  const context = { name: 'Soak', description: '', caption: '', toolsJson: '[]', starterPrompts: [], settings }
  await called({ type: 'create-context' }, async () => String((await session.contexts.create(context)).id))
}

/** A new document, an existing one, or one with the bytes of another. */
async function upload(contextId: number, recipes: Recipe[]): Promise<void> {
  const dice = random()
  const before = recipes[Math.floor(random() * recipes.length)]
  const recipe = before !== undefined && dice < 0.35 ? before : await affordable(contextId)
  const made = await make(recipe)
  const fileName = before === recipe && dice < 0.15 ? `copy-of-${made.fileName}` : made.fileName
  recipes.push(recipe)
  const call: Call = { type: 'upload', contextId, fileName, recipe }
  await called(call, async () => session.documents.upload(contextId, { fileName, content: inPieces(made.bytes) }))
}

/** Documents for the real model are small, because a round is short. */
async function affordable(contextId: number): Promise<Recipe> {
  const recipe = newRecipe(random)
  const context = await quietly(() => session.contexts.get(contextId), undefined)
  const isReal = context?.embeddingModel !== 'quick'
  return isReal ? { ...recipe, characters: Math.min(recipe.characters, 3_000) } : recipe
}

/** A stream that breaks off in the middle. */
async function uploadInVain(contextId: number): Promise<void> {
  const { fileName, bytes } = await make(newRecipe(random))
  const broken = async function* () {
    yield* inPieces(bytes.subarray(0, bytes.length * random()))
    throw new Error('the sender went away')
  }
  await quietly(() => session.documents.upload(contextId, { fileName, content: broken() }), undefined)
}

async function remove({ fileName: uuid }: Document): Promise<void> {
  await called({ type: 'delete-document', uuid }, async () => session.documents.delete(uuid))
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 16_384) {
    yield bytes.subarray(at, at + 16_384)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

async function called(call: Call, work: () => Promise<unknown>): Promise<void> {
  calls += 1
  const id = calls
  await tell({ type: 'begin', id, call })
  const outcome = await work().then((value): Outcome => ({ value: typeof value === 'string' ? value : '' }), refusal)
  await tell({ type: 'end', id, outcome })
}

function refusal(error: unknown): Outcome {
  return { code: error instanceof AlcoveError ? error.code : String(error) }
}

/** Other calls delete contexts and documents at the same time, so an error is no failure. */
async function quietly<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
  return await work().catch(() => otherwise)
}

/** Waits until all work is done, then searches for a sample of all chunks. */
async function settle(): Promise<void> {
  const problems: string[] = []
  let documents = await listAll()
  for (const deadline = performance.now() + 150_000; performance.now() < deadline; documents = await listAll()) {
    if (documents.every(({ completed, error }) => completed !== null || error !== null)) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await engine.whenCleared()
  documents = await listAll()
  for (const { fileName } of documents) {
    if (documents.filter((other) => other.fileName === fileName).length > 1)
      problems.push(`${fileName} is listed twice`)
  }
  const completed = documents.filter((document) => document.completed !== null)
  let searched = 0
  for (; searched < SEARCHES; searched += 1) {
    const document = completed[Math.floor(random() * completed.length)]
    if (document === undefined) break
    const chunks = await session.documents.chunks(document.fileName)
    const content = chunks[Math.floor(random() * chunks.length)]?.content ?? ''
    const results = await session.search(document.contextId, content)
    const found = results.find((result) => result.content === content)
    if (found === undefined || found.similarity < 0.95) problems.push(`a chunk of ${document.fileName} is not found`)
    const byWords = await session.search(document.contextId, content, { mode: 'keyword', topN: 100 })
    // Words have no weight in a context of one chunk.
    const isTelling = byWords.some(({ source }) => source.foundBy.includes('words'))
    if (isTelling && !byWords.some((result) => result.content === content))
      problems.push(`a chunk of ${document.fileName} is not found by its words`)
    const ids = new Set(documents.filter((one) => one.contextId === document.contextId).map(({ id }) => id))
    for (const { docId } of byWords) if (!ids.has(docId)) problems.push(`words of ${docId}, which is gone, are found`)
  }
  await tell({ type: 'settled', searched, problems })
}

async function listAll(): Promise<Document[]> {
  const contexts = await session.contexts.list()
  return (await Promise.all(contexts.map(({ id }) => session.documents.list(id)))).flat()
}
