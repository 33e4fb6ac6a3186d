import pLimit from 'p-limit'
import type { AlcoveError, Document, Engine, Session } from '../../../src/index.js'
import type { LockedFolder } from '../../local/folder/locked-folder.js'
import { createShadowFolder } from '../../local/folder/shadow-folder.js'
import { modelDirsOf } from '../../local/model-dirs.js'
import { openLocalEngine } from '../../local/open-local-engine.js'
import type { LocalEngineOptions } from '../../local/options/local-engine-options.js'
import type { SearchedContext } from './measure-settings.js'
import type { SearchedCopy } from './settings-to-compare.js'

/** Documents that are copied at the same time. */
const DOCUMENTS_AT_ONCE = 8

interface CopyOptions {
  readonly signal: AbortSignal | undefined
  readonly onDocument: (done: number) => void
}

/**
 * A second engine with the same models, in a folder of its own. The copies of a context are made in it, so that nobody
 * else sees them, and the folder's removal removes them.
 */
export class ShadowEngine {
  private constructor(
    private readonly folder: LockedFolder,
    private readonly engine: Engine,
  ) {}

  /**
   * @param options the options with which the host opened its own engine
   * @param tempFolder the folder for the folder of the engine
   * @param documents number of documents of a copy
   */
  static async open(options: LocalEngineOptions, tempFolder: string, documents: number): Promise<ShadowEngine> {
    const folder = await createShadowFolder(tempFolder)
    try {
      const modelDirs = await modelDirsOf(options.dataDir, options.modelDirs)
      const shared = sharedOptions(options, documents)
      const engine = await openLocalEngine({ ...shared, modelDirs, dataDir: folder.content })
      return new ShadowEngine(folder, engine)
    } catch (error) {
      await folder.remove()
      throw error
    }
  }

  get #session(): Session {
    return this.engine.as(this.engine.owner)
  }

  /**
   * Creates an empty context for each copy, which checks the settings of all before the first one is filled.
   *
   * @returns the ids of the contexts, in the order of `copies`
   * @throws InvalidInputError @throws ModelError `ERR_MODEL_UNKNOWN`
   */
  async createContexts(copies: readonly SearchedCopy[], scoreThreshold: number): Promise<number[]> {
    const ids: number[] = []
    for (const { modes: _, ...settings } of copies) {
      const { id } = await this.#session.contexts.create({
        name: 'Evaluation',
        description: '',
        caption: '',
        toolsJson: '[]',
        starterPrompts: [],
        settings: { ...settings, scoreThreshold, maxSizeBytes: Number.MAX_SAFE_INTEGER },
      })
      ids.push(id)
    }
    return ids
  }

  /**
   * Copies documents into a context and waits until they are searchable.
   *
   * @param source the session that can read the documents
   * @throws NotFoundError if a document is deleted or replaced meanwhile
   * @throws DocumentFailedError if a document cannot be processed with the settings of the copy
   */
  async fill(
    contextId: number,
    source: Session,
    documents: readonly Document[],
    { signal, onDocument }: CopyOptions,
  ): Promise<SearchedContext & { readonly chunks: number }> {
    const atOnce = pLimit(DOCUMENTS_AT_ONCE)
    const ids = new Map<number, number>()
    // By id: documents with the same name and the same bytes share one copy.
    const chunks = new Map<number, number>()
    const copy = async (document: Document): Promise<void> => {
      signal?.throwIfAborted()
      const copied = await this.#copy(contextId, source, document, signal)
      ids.set(document.id, copied.id)
      chunks.set(copied.id, copied.chunks)
      onDocument(ids.size)
    }
    try {
      await Promise.all(documents.map((document) => atOnce(() => copy(document))))
    } finally {
      atOnce.clearQueue()
    }
    return { session: this.#session, contextId, idOf: (id) => ids.get(id), chunks: sumOf(chunks.values()) }
  }

  async #copy(
    contextId: number,
    source: Session,
    { uuid, originalName, metadata, size }: Document,
    signal: AbortSignal | undefined,
  ): Promise<Document> {
    const cancellable = signal === undefined ? {} : { signal }
    const { documents } = this.#session
    const file = { fileName: originalName, content: await source.documents.open(uuid), metadata }
    const copy = await documents.upload(contextId, file, { expectedBytes: size, ...cancellable })
    return await documents.whenProcessed(copy, { signal, onWaiting: endOnFullDisk })
  }

  /** Deletes a copy, so that the next one has its disk space. */
  async clear(contextId: number): Promise<void> {
    await this.#session.contexts.delete(contextId)
    await this.engine.whenCleared()
  }

  /** Closes the engine and removes its folder. */
  async close(): Promise<void> {
    try {
      await this.engine.close()
    } finally {
      await this.folder.remove()
    }
  }
}

/** The server of a model may come back soon. A disk without room for the copies stays so. @throws the reason */
function endOnFullDisk(reason: AlcoveError): void {
  if (reason.code !== 'ERR_MODEL_UNAVAILABLE') throw reason
}

function sumOf(counts: Iterable<number>): number {
  return [...counts].reduce((sum, count) => sum + count, 0)
}

/** The options, beside the folders of models, that decide what a search finds. The others are about the host's data and users. */
function sharedOptions(options: LocalEngineOptions, documents: number): Omit<LocalEngineOptions, 'dataDir'> {
  const { embeddingModels, remoteModels, reranker, remoteReranker, ingestionConcurrency, limits } = options
  const { textExtractor, ocr, textRecognizer } = options
  return {
    ...(embeddingModels !== undefined && { embeddingModels: embeddingModels.map(keptOpen) }),
    ...(remoteModels !== undefined && { remoteModels }),
    ...(reranker !== undefined && { reranker: keptOpen(reranker) }),
    ...(remoteReranker !== undefined && { remoteReranker }),
    ...(textExtractor !== undefined && { textExtractor: keptOpen(textExtractor) }),
    ...(ocr !== undefined && { ocr }),
    ...(textRecognizer !== undefined && { textRecognizer: keptOpen(textRecognizer) }),
    ...(ingestionConcurrency !== undefined && { ingestionConcurrency }),
    limits: {
      documentsPerContext: Math.max(1, documents),
      ...(limits?.promptTokens !== undefined && { promptTokens: limits.promptTokens }),
    },
    roles: ['ingest'],
  }
}

/** A part of the host, which the shadow engine does not close: the host's own engine still uses it. */
function keptOpen<Part extends { close(): Promise<void> }>(part: Part): Part {
  return new Proxy(part, {
    get(target, name) {
      if (name === 'close') return () => Promise.resolve()
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
