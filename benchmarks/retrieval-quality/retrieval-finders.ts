import { peer, versionOf } from '../harness/peers.js'
import type { IngestedContext } from './retrieval-engine.js'

/** The engine's modes, by their names in the results. */
export const HYBRID = 'alcove, hybrid'
export const SEMANTIC = 'alcove, semantic'
const KEYWORD = 'alcove, keyword'

/** Finds chunks for a question. The result has the ids of the best chunks by finder, the best first. */
export type Finder = (question: string, most: number) => Promise<ReadonlyMap<string, readonly number[]>>

/** Chunks that each retriever gives to the ensemble. The engine itself reads more. */
const EACH_SIDE = 100

interface MiniSearchModule {
  readonly default: new (
    options: object,
  ) => {
    addAll(documents: readonly object[]): void
    search(query: string): readonly { readonly id: number }[]
  }
}

interface LangChainDocument {
  readonly pageContent: string
  readonly metadata: { readonly id: number }
}

interface Retriever {
  invoke(question: string): Promise<readonly LangChainDocument[]>
}

interface CoreRetrievers {
  readonly BaseRetriever: new () => Retriever
}

interface Ensembles {
  readonly EnsembleRetriever: new (options: {
    readonly retrievers: readonly Retriever[]
    readonly weights: readonly number[]
  }) => Retriever
}

/**
 * The engine in each of its modes, BM25 of another library, and LangChain's ensemble of that BM25 and the engine's
 * vectors. All search the same chunks. The engine's semantic mode is its vectors alone.
 */
export async function openFinder({ session, contextId, chunks }: IngestedContext): Promise<Finder> {
  const words = await openMiniSearch(chunks)
  const join = words === undefined ? undefined : await openEnsemble(chunks)
  return async (question, most) => {
    const found = new Map<string, readonly number[]>()
    const search = async (mode: 'hybrid' | 'semantic' | 'keyword', topN: number): Promise<number[]> =>
      (await session.search(contextId, question, { topN, mode, scoreThreshold: 0 })).map(({ id }) => id)
    const meaning = await search('semantic', EACH_SIDE)
    found.set(HYBRID, await search('hybrid', most))
    found.set(SEMANTIC, meaning.slice(0, most))
    found.set(KEYWORD, await search('keyword', most))
    if (words === undefined) return found
    const byWords = words(question).slice(0, EACH_SIDE)
    found.set(`MiniSearch ${versionOf('minisearch')}, BM25+`, byWords.slice(0, most))
    if (join === undefined) return found
    const joined = await join(question, [byWords, meaning])
    return found.set(
      `LangChain ${versionOf('@langchain/classic')}, ensemble of these vectors and BM25+`,
      joined.slice(0, most),
    )
  }
}

async function openMiniSearch(
  chunks: IngestedContext['chunks'],
): Promise<((question: string) => number[]) | undefined> {
  const module = await peer<MiniSearchModule>('minisearch')
  if (module === undefined) return undefined
  const index = new module.default({ fields: ['content', 'fileName'] })
  index.addAll(chunks.map(({ id, content, fileName }) => ({ id, content, fileName })))
  return (question) => index.search(question).map(({ id }) => id)
}

/** Joins the hits of two retrievers by LangChain's weighted reciprocal ranks. Each retriever has half of the weight. */
async function openEnsemble(
  chunks: IngestedContext['chunks'],
): Promise<((question: string, sides: readonly (readonly number[])[]) => Promise<number[]>) | undefined> {
  const core = await peer<CoreRetrievers>('@langchain/core/retrievers')
  const ensembles = await peer<Ensembles>('@langchain/classic/retrievers/ensemble')
  if (core === undefined || ensembles === undefined) return undefined
  const texts = new Map(chunks.map(({ id, content }) => [id, content]))
  class FoundRetriever extends core.BaseRetriever {
    readonly lc_namespace = ['benchmark']
    readonly #ids: readonly number[]

    constructor(ids: readonly number[]) {
      super()
      this.#ids = ids
    }

    async _getRelevantDocuments(): Promise<LangChainDocument[]> {
      // The ensemble identifies documents by their text.
      return await Promise.resolve(
        this.#ids.map((id) => ({ pageContent: `${id} ${texts.get(id) ?? ''}`, metadata: { id } })),
      )
    }
  }
  return async (question, sides) => {
    const retrievers = sides.map((ids) => new FoundRetriever(ids))
    const weights = sides.map(() => 1 / sides.length)
    const joined = await new ensembles.EnsembleRetriever({ retrievers, weights }).invoke(question)
    return joined.map(({ metadata }) => metadata.id)
  }
}
