import { FolderFileStore } from '../../adapters/files/index.js'
import { openSqlite } from '../../adapters/knex/index.js'
import { LanceDbVectorIndex } from '../../adapters/lancedb/index.js'
import { openLocalEngine } from '../../adapters/local/index.js'
import { MemoryTelemetry } from '../../adapters/memory/index.js'
import { WorkerTextExtractor } from '../../adapters/text-extraction/index.js'
import { SqliteLexicalIndex } from '../../adapters/words/index.js'
import type { Engine, Session } from '../../src/index.js'
import type { EmbeddingModel, ExtractedPiece, TextExtractor, TextFormat } from '../../src/ports/index.js'
import { temporaryFolder } from '../temporary-folder.js'
import { QuickModel } from './quick-model.js'
import { inspect, type Places, placesIn } from './soak/soak-inspection.js'

/** The steps of the ports of ingestion, before and after each operation. */
export const STEPS = [
  'file:read',
  'text:piece',
  'words:add',
  'words:added',
  'words:delete',
  'words:deleted',
  'texts:embed',
  'texts:embedded',
  'vectors:add',
  'vectors:added',
  'vectors:delete',
  'vectors:deleted',
  'vectors:search',
  'file:delete',
] as const

export type Step = (typeof STEPS)[number]

const KINDS = ['ingest-document', 'index-words', 'purge-document', 'purge-context']

/** Runs at each step; may wait, or fail in its place. Its result at `texts:embedded` replaces each number. */
type Fault = (step: Step) => unknown

/** The process that reads documents and the model's tokenizer serve all engines of a file: each takes long to start. */
const shared = { extractor: new WorkerTextExtractor(), model: undefined as Promise<QuickModel> | undefined }

/** Closes the parts that the engines shared. */
export async function closeSharedParts(): Promise<void> {
  const { extractor, model } = shared
  shared.extractor = new WorkerTextExtractor()
  shared.model = undefined
  await Promise.all([extractor.close(), (await model)?.close()])
}

/** An engine on SQLite, LanceDB, a folder and the real text extractor, whose steps a test may disturb. */
export interface FaultyEngine {
  readonly engine: Engine
  readonly session: Session
  readonly telemetry: MemoryTelemetry
  readonly places: Places
  readonly contextId: number
  disturb(fault: Fault): void
  upload(fileName: string, text: string): Promise<string>
  /** Makes every waiting retry due at once. */
  hurry(): Promise<void>
  /** Resolves once all jobs are done, with retries that are due at once. */
  settled(): Promise<void>
  /**
   * Closes the engine.
   * @returns leftovers that should not exist
   */
  end(): Promise<string[]>
}

export async function faultyEngine(): Promise<FaultyEngine> {
  const folder = await temporaryFolder()
  const places = placesIn(folder.path)
  let fault: Fault = () => undefined
  const step = async (name: Step): Promise<unknown> => await fault(name)
  const telemetry = new MemoryTelemetry()
  shared.model ??= QuickModel.open({ dimensions: 64 })
  const model = await shared.model
  const engine = await openLocalEngine({
    dataDir: folder.path,
    telemetry,
    fileStore: new FaultyFileStore(places.files, step),
    vectorIndex: new FaultyVectorIndex(places.vectors, step),
    lexicalIndex: new FaultyLexicalIndex(places.words, step),
    textExtractor: new FaultyExtractor(step),
    embeddingModels: [disturbed(model, step)],
  })
  const session = engine.as(engine.owner)
  const settings = { chunkSizeTokens: 60, overlap: 0 }
  const input = { name: 'Faults', description: '', caption: '', toolsJson: '[]', starterPrompts: [], settings }
  const { id: contextId } = await session.contexts.create(input)
  const knex = openSqlite(places.database)
  // One statement at a time: statements that wait for the lock would take all threads from its holder.
  let hurrying: Promise<unknown> | undefined
  const hurry = async (): Promise<void> => {
    hurrying ??= (async () => await knex('alcove_jobs').where('lease_expires_ms', 0).update({ due_ms: 0 }))().finally(
      () => {
        hurrying = undefined
      },
    )
    await hurrying
  }
  return {
    engine,
    session,
    telemetry,
    places,
    contextId,
    disturb: (next) => {
      fault = next
    },
    upload: (fileName, text) => session.documents.upload(contextId, { fileName, content: Buffer.from(text) }),
    hurry,
    settled: async () => {
      for (;;) {
        await hurry()
        const [{ count = 0 } = {}] = await knex('alcove_jobs').whereIn('kind', KINDS).count({ count: '*' })
        if (Number(count) === 0) return
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    end: async () => {
      fault = () => undefined
      const { problems: found } = await engine.administration.verify()
      await engine.close()
      await knex.destroy()
      const problems = await inspect(places)
      await folder.remove()
      return [...problems, ...found.map(({ code, message }) => `doctor: ${code}: ${message}`)]
    },
  }
}

type Take = (step: Step) => Promise<unknown>

class FaultyFileStore extends FolderFileStore {
  readonly #take: Take

  constructor(folder: string, take: Take) {
    super(folder)
    this.#take = take
  }

  override async *read(key: string): AsyncGenerator<Uint8Array> {
    for await (const piece of super.read(key)) {
      await this.#take('file:read')
      yield piece
    }
  }

  override async delete(key: string): Promise<void> {
    await this.#take('file:delete')
    await super.delete(key)
  }
}

class FaultyExtractor implements TextExtractor {
  readonly formats: readonly TextFormat[] = shared.extractor.formats
  readonly #extractor = shared.extractor
  readonly #take: Take

  constructor(take: Take) {
    this.#take = take
  }

  async identify(...args: Parameters<TextExtractor['identify']>): Promise<TextFormat> {
    return await this.#extractor.identify(...args)
  }

  async *extract(...args: Parameters<TextExtractor['extract']>): AsyncGenerator<ExtractedPiece> {
    for await (const piece of this.#extractor.extract(...args)) {
      await this.#take('text:piece')
      yield piece
    }
  }

  async close(): Promise<void> {
    // Others use the extractor too.
  }
}

class FaultyVectorIndex extends LanceDbVectorIndex {
  readonly #take: Take

  constructor(folder: string, take: Take) {
    super(folder)
    this.#take = take
  }

  override async add(...args: Parameters<LanceDbVectorIndex['add']>): Promise<void> {
    await this.#take('vectors:add')
    await super.add(...args)
    await this.#take('vectors:added')
  }

  override async deleteDocument(...args: Parameters<LanceDbVectorIndex['deleteDocument']>): Promise<void> {
    await this.#take('vectors:delete')
    await super.deleteDocument(...args)
    await this.#take('vectors:deleted')
  }

  override async search(...args: Parameters<LanceDbVectorIndex['search']>): ReturnType<LanceDbVectorIndex['search']> {
    await this.#take('vectors:search')
    return await super.search(...args)
  }
}

class FaultyLexicalIndex extends SqliteLexicalIndex {
  readonly #take: Take

  constructor(folder: string, take: Take) {
    super(folder)
    this.#take = take
  }

  override async add(...args: Parameters<SqliteLexicalIndex['add']>): Promise<void> {
    await this.#take('words:add')
    await super.add(...args)
    await this.#take('words:added')
  }

  override async deleteDocument(...args: Parameters<SqliteLexicalIndex['deleteDocument']>): Promise<void> {
    await this.#take('words:delete')
    await super.deleteDocument(...args)
    await this.#take('words:deleted')
  }
}

function disturbed(model: QuickModel, take: Take): EmbeddingModel {
  return {
    profile: model.profile,
    tokenizer: async () => await model.tokenizer(),
    verify: async () => await model.verify(),
    embed: async (texts, options) => {
      if (options.kind === 'query') return await model.embed(texts, options)
      await take('texts:embed')
      const vectors = await model.embed(texts, options)
      const spoilt = await take('texts:embedded')
      if (typeof spoilt === 'number') vectors.fill(spoilt)
      options.signal?.throwIfAborted()
      return vectors
    },
    close: async () => undefined,
  }
}

/** Sentences of which no two are the same. */
export function textOfSentences(count: number, name: string = 'Room'): string {
  return Array.from({ length: count }, (_, number) => `${name} ${number} has a lamp, and ${number * 7} chairs.`).join(
    ' ',
  )
}
