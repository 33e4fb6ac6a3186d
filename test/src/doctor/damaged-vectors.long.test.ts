import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import type { Engine } from '../../../src/index.js'
import { limitedIndex } from '../../adapters/lancedb/limited-index.js'
import { sized } from '../../full-form.js'
import { pick, SEED, seededRandom } from '../../seeded-random.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { NEW_CONTEXT, uploadText } from '../engine/memory-engine.js'
import { examine, repair, told, withEngine } from './doctor-folder.js'

const TRIALS = sized(6, 100)
/** The first context has so many chunks that its vectors get an index, which the other one lacks. */
const DOCUMENTS = [20, 3] as const
const SENTENCES = 40

/** The parts of the vector folder, by the paths of their files. */
const PARTS = {
  data: /\.lance\/data\//,
  manifest: /\.manifest$/,
  index: /\.lance\/_indices\//,
  deletions: /\.lance\/_deletions\//,
  other: /_transactions\/|_sums$|\.json$/,
} as const

type Damage = (file: string, random: () => number) => Promise<void>

const DAMAGES: Readonly<Record<string, Damage>> = {
  'a flipped bit': async (file, random) =>
    await change(file, (bytes) => {
      const at = Math.floor(random() * bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8))
      return bytes
    }),
  'a zeroed block': async (file, random) =>
    await change(file, (bytes) => {
      const at = Math.floor(random() * bytes.length)
      return bytes.fill(0, at, Math.min(at + 512, bytes.length))
    }),
  'a cut': async (file, random) =>
    await change(file, (bytes) => bytes.subarray(0, Math.floor(random() * bytes.length))),
  'a removal': async (file) => await rm(file),
}

async function change(file: string, to: (bytes: Buffer) => Buffer): Promise<void> {
  await writeFile(file, to(await readFile(file)))
}

/** Each sentence is one chunk, and no two are alike. */
const sentence = (context: number, document: number, at: number): string =>
  `Box c${context}d${document}s${at} holds jar j${context * 7 + document * 31 + at} beside lid l${at * 13 + document}. `
const textOf = (context: number, document: number): string =>
  Array.from({ length: SENTENCES }, (_, at) => sentence(context, document, at)).join('')

const options = (dataDir: string) => ({
  vectorIndex: limitedIndex(join(dataDir, 'vectors'), { indexFromRows: 256, inMemoryUpToRows: 0 }),
  embeddingModels: [new MemoryEmbeddingModel({ dimensions: 64 })],
})

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let template: string

beforeAll(async () => {
  folder = await temporaryFolder()
  template = join(folder.path, 'template')
  const made = options(template)
  await withEngine(template, made, async (engine) => {
    const session = engine.as(engine.owner)
    for (const [at, count] of DOCUMENTS.entries()) {
      const settings = { chunkSizeTokens: 16, overlap: 0, embeddingModel: 'memory' }
      const context = await session.contexts.create({ ...NEW_CONTEXT, name: `Context ${at + 1}`, settings })
      for (let document = 0; document < count; document += 1) {
        await uploadText(session, context.id, `${document}.txt`, textOf(context.id, document))
      }
    }
    const gone: string[] = []
    for (const contextId of [1, 2]) gone.push(await uploadText(session, contextId, 'gone.txt', textOf(contextId, 99)))
    await made.vectorIndex.whenMaintained()
    // The rows of these stay in the files, marked as deleted.
    for (const uuid of gone) await session.documents.delete(uuid)
    await engine.whenCleared()
    expect(await lost(engine)).toEqual([])
  })
}, 120_000)

afterAll(async () => await folder.remove())

/** The newest first. */
async function filesOf(dataDir: string, part: RegExp): Promise<string[]> {
  const entries = await readdir(join(dataDir, 'vectors'), { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const times = new Map<string, number>()
  for (const path of paths) if (part.test(path)) times.set(path, (await stat(path)).mtimeMs)
  return [...times.keys()].sort((one, other) => (times.get(other) ?? 0) - (times.get(one) ?? 0))
}

/** The chunks that a search by meaning for their own text does not find. One chunk of each document is searched for. */
async function lost(engine: Engine): Promise<string[]> {
  const session = engine.as(engine.owner)
  const missing: string[] = []
  for (const { id: contextId } of await session.contexts.list()) {
    for (const { id, fileName } of await session.documents.list(contextId)) {
      const chunks = await session.documents.chunks(fileName)
      const wanted = chunks[id % chunks.length]?.content ?? expect.fail()
      const results = await session.search(contextId, wanted, { mode: 'semantic' })
      const isFound = results.some(({ content, similarity }) => content === wanted && similarity > 0.99)
      if (!isFound) missing.push(`${contextId} ${wanted}`)
    }
  }
  return missing
}

it(
  'the doctor mends every damage of files of vectors',
  async () => {
    const random = seededRandom(SEED)
    const parts = Object.entries(PARTS)
    const damages = Object.entries(DAMAGES)
    const first = Math.floor(random() * damages.length)
    const failures: unknown[] = []
    for (let trial = 0; trial < TRIALS; trial += 1) {
      const dataDir = join(folder.path, `trial-${trial}`)
      await cp(template, dataDir, { recursive: true, preserveTimestamps: true })
      const [part, pattern] = parts[trial % parts.length] ?? expect.fail()
      const [damage, apply] = damages[(first + Math.floor(trial / parts.length)) % damages.length] ?? expect.fail()
      const [newest, ...older] = await filesOf(dataDir, pattern)
      if (newest === undefined) expect.fail(`the vectors have no file of the part ${part}`)
      // Many of the older files belong to versions that nothing reads.
      const path = random() < 0.5 ? newest : pick(random, [newest, ...older])
      await apply(path, random)
      // An engine may work on the damaged files before the operator calls the doctor.
      if (random() < 0.5) await withEngine(dataDir, options(dataDir), lost).catch(() => undefined)
      const { isHealthy, problems } = await repair(dataDir, options(dataDir))
      const missing = await withEngine(dataDir, options(dataDir), lost).catch(String)
      const found = told(await examine(dataDir, options(dataDir)))
      if (!isHealthy || missing.length > 0 || found.length > 0) {
        failures.push({ trial, damage, path: relative(dataDir, path), problems, missing, found })
      }
      await rm(dataDir, { recursive: true })
    }
    expect({ seed: SEED, failures }).toEqual({ seed: SEED, failures: [] })
  },
  sized(3, 20) * 60_000,
)
