import type { EmbeddingProfile } from '../../../src/ports/index.js'
import { ARCTIC_2, BGE_M3, BY_SENTENCE, E5, NOMIC } from './model-families.js'

/** A model that `downloadModel` knows by its name. Its facts are those of its card. */
export interface CatalogModel extends Pick<EmbeddingProfile, 'pooling' | 'queryPrefix' | 'passagePrefix'> {
  readonly name: string
  /** The repository of the conversion that is downloaded. */
  readonly repository: string
  /** The repository of the original model, which has the card. */
  readonly original: string
  /** Languages for people, such as `English` or `94 languages`. */
  readonly languages: string
  readonly dimensions: number
  /** The most tokens that the model reads. The engine takes 1,024 of them unless a caller wants more. */
  readonly windowTokens: number
  /** Weights and tokenizer in megabytes; null where the card does not say it. */
  readonly sizeMb: number | null
  /** As the card names it. */
  readonly licence: string
  /** The reason why the engine cannot run the model, and what to take instead; null for a model that is downloaded. */
  readonly problem: string | null
}

const PLAIN = { queryPrefix: '', passagePrefix: '', problem: null } as const

/** The models that `downloadModel` knows. */
export const MODEL_CATALOG: readonly CatalogModel[] = [
  {
    ...E5,
    name: 'multilingual-e5-small',
    repository: 'Xenova/multilingual-e5-small',
    original: 'intfloat/multilingual-e5-small',
    languages: '100 languages',
    dimensions: 384,
    windowTokens: 512,
    sizeMb: 135,
    licence: 'MIT',
    problem: null,
  },
  {
    ...E5,
    name: 'multilingual-e5-base',
    repository: 'Xenova/multilingual-e5-base',
    original: 'intfloat/multilingual-e5-base',
    languages: '100 languages',
    dimensions: 768,
    windowTokens: 512,
    sizeMb: 296,
    licence: 'MIT',
    problem: null,
  },
  {
    ...E5,
    name: 'multilingual-e5-large',
    repository: 'Xenova/multilingual-e5-large',
    original: 'intfloat/multilingual-e5-large',
    languages: '100 languages',
    dimensions: 1_024,
    windowTokens: 512,
    sizeMb: 579,
    licence: 'MIT',
    problem: null,
  },
  {
    name: 'bge-small-en-v1.5',
    repository: 'Xenova/bge-small-en-v1.5',
    original: 'BAAI/bge-small-en-v1.5',
    ...BY_SENTENCE,
    languages: 'English',
    dimensions: 384,
    windowTokens: 512,
    sizeMb: 35,
    licence: 'MIT',
    problem: null,
  },
  {
    ...BGE_M3,
    name: 'bge-m3',
    repository: 'Xenova/bge-m3',
    original: 'BAAI/bge-m3',
    languages: 'over 100 languages',
    dimensions: 1_024,
    windowTokens: 8_192,
    sizeMb: 587,
    licence: 'MIT',
    problem: null,
  },
  {
    ...PLAIN,
    name: 'gte-multilingual-base',
    repository: 'onnx-community/gte-multilingual-base',
    original: 'Alibaba-NLP/gte-multilingual-base',
    pooling: 'cls',
    languages: 'over 70 languages',
    dimensions: 768,
    windowTokens: 8_192,
    sizeMb: null,
    licence: 'Apache-2.0',
  },
  {
    name: 'snowflake-arctic-embed-m',
    repository: 'Snowflake/snowflake-arctic-embed-m',
    original: 'Snowflake/snowflake-arctic-embed-m',
    ...BY_SENTENCE,
    languages: 'English',
    dimensions: 768,
    windowTokens: 512,
    sizeMb: 111,
    licence: 'Apache-2.0',
    problem: null,
  },
  {
    name: 'snowflake-arctic-embed-m-v2.0',
    repository: 'Snowflake/snowflake-arctic-embed-m-v2.0',
    original: 'Snowflake/snowflake-arctic-embed-m-v2.0',
    ...ARCTIC_2,
    languages: '74 languages',
    dimensions: 768,
    windowTokens: 8_192,
    sizeMb: 328,
    licence: 'Apache-2.0',
    problem: null,
  },
  {
    name: 'nomic-embed-text-v1.5',
    repository: 'nomic-ai/nomic-embed-text-v1.5',
    original: 'nomic-ai/nomic-embed-text-v1.5',
    ...NOMIC,
    languages: 'English',
    dimensions: 768,
    // More needs another scale of its positions, which the graph does not have.
    windowTokens: 2_048,
    sizeMb: 139,
    licence: 'Apache-2.0',
    problem: null,
  },
  {
    ...PLAIN,
    name: 'all-MiniLM-L6-v2',
    repository: 'Xenova/all-MiniLM-L6-v2',
    original: 'sentence-transformers/all-MiniLM-L6-v2',
    pooling: 'mean',
    languages: 'English',
    dimensions: 384,
    windowTokens: 256,
    sizeMb: 24,
    licence: 'Apache-2.0',
  },
  {
    ...PLAIN,
    name: 'paraphrase-multilingual-MiniLM-L12-v2',
    repository: 'Xenova/paraphrase-multilingual-MiniLM-L12-v2',
    original: 'sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2',
    pooling: 'mean',
    languages: 'over 50 languages',
    dimensions: 384,
    windowTokens: 128,
    sizeMb: null,
    licence: 'Apache-2.0',
  },
  {
    name: 'embeddinggemma-300m',
    repository: 'onnx-community/embeddinggemma-300m-ONNX',
    original: 'google/embeddinggemma-300m',
    pooling: 'mean',
    queryPrefix: 'task: search result | query: ',
    passagePrefix: 'title: none | text: ',
    languages: 'over 100 languages',
    dimensions: 768,
    windowTokens: 2_048,
    sizeMb: null,
    licence: 'Gemma Terms of Use',
    problem:
      'it has two dense layers behind the pooling, which the engine does not compute: use multilingual-e5-small or multilingual-e5-base, or run it on a server (--embedding-url)',
  },
  {
    ...PLAIN,
    name: 'jina-embeddings-v3',
    repository: 'jinaai/jina-embeddings-v3',
    original: 'jinaai/jina-embeddings-v3',
    pooling: 'mean',
    languages: '89 languages',
    dimensions: 1_024,
    windowTokens: 8_192,
    sizeMb: null,
    licence: 'CC-BY-NC-4.0 (no commercial use)',
    problem:
      'its graph has an input for the task that selects an adapter, which the engine does not know: use multilingual-e5-base or bge-m3, or run it on a server (--embedding-url)',
  },
]

/** The most names that a message offers. */
const MAX_OFFERED = 3

/**
 * @param name the name of a model, or its repository. A model that cannot run is also found by the original repository:
 *   no conversion of it can
 */
export function findCatalogModel(name: string): CatalogModel | undefined {
  const wanted = name.toLowerCase()
  return MODEL_CATALOG.find((model) => {
    const names = [model.name, model.repository, ...(model.problem === null ? [] : [model.original])]
    return names.some((known) => known.toLowerCase() === wanted)
  })
}

/** @returns names of models that can be downloaded and share the most parts with a name; all names if none shares one */
export function similarNames(name: string): readonly string[] {
  const parts = partsOf(name)
  const usable = MODEL_CATALOG.filter(({ problem }) => problem === null)
  const ranked = usable
    .map((model) => ({ model, shared: partsOf(model.name).filter((part) => parts.includes(part)).length }))
    .filter(({ shared }) => shared > 0)
    .sort((one, other) => other.shared - one.shared)
  const found = ranked.length === 0 ? usable : ranked.slice(0, MAX_OFFERED).map(({ model }) => model)
  return found.map((model) => model.name)
}

function partsOf(name: string): readonly string[] {
  const last = name.toLowerCase().split('/').at(-1) ?? ''
  return last.split(/[^a-z0-9]+/).filter((part) => part !== '')
}
