import { join } from 'node:path'
import { SqliteLexicalIndex } from '../../dist/adapters/words/index.js'
import type { EmbeddingModel, LexicalIndex, LexicalRows } from '../../dist/src/ports/index.js'
import { termsOf } from '../../src/analysis/index.js'
import { wholeTokenizerOf } from '../harness/default-model.js'

/** The texts in front of which the path of the headings is read. */
export interface HeadingVariant {
  readonly name: string
  readonly inVectors: boolean
  readonly inWords: boolean
}

export const HEADING_VARIANTS: readonly HeadingVariant[] = [
  { name: 'without', inVectors: false, inWords: false },
  { name: 'before the words', inVectors: false, inWords: true },
  { name: 'before the embedded text', inVectors: true, inWords: false },
  { name: 'before both', inVectors: true, inWords: true },
]

/** A chunk of the document that is ingested next. */
export interface HeadedChunk {
  readonly content: string
  readonly headings: readonly string[]
}

/** Tokens that windows leave free for the path. A longer path loses its outermost headings. */
const ROOM_TOKENS = 40

/** The chunks of the document that is ingested at the moment. */
export class CurrentChunks {
  #chunks: readonly HeadedChunk[] = []
  #at = 0

  set(chunks: readonly HeadedChunk[]): void {
    this.#chunks = chunks
    this.#at = 0
  }

  /** The headings of a chunk by its ordinal. */
  headingsAt(ordinal: number): readonly string[] {
    return this.#chunks[ordinal]?.headings ?? []
  }

  /** The headings of the chunk that contains a window. Windows come about in their order. */
  headingsOf(window: string): readonly string[] {
    for (let step = 0; step < this.#chunks.length; step += 1) {
      const at = (this.#at + step) % this.#chunks.length
      if (this.#chunks[at]?.content.includes(window) !== true) continue
      this.#at = at
      return this.#chunks[at].headings
    }
    return []
  }
}

/** Vectors by their text, for variants that embed the same texts. */
export type KnownVectors = Map<string, Float32Array>

/**
 * A model that reads the headings of a chunk in front of each of its windows, within the limit of the model. It computes
 * the vector of a text once.
 */
export function headedModel(
  model: EmbeddingModel,
  chunks: CurrentChunks,
  known: KnownVectors,
  isHeaded: boolean,
): EmbeddingModel {
  const { profile } = model
  const windowTokens = profile.windowTokens - (isHeaded ? ROOM_TOKENS : 0)
  return {
    profile: { ...profile, windowTokens },
    concurrency: model.concurrency ?? 2,
    tokenizer: async () => await model.tokenizer(),
    verify: async () => {
      await model.verify()
    },
    close: () => Promise.resolve(),
    embed: async (texts, options) => {
      if (options.kind === 'query') return await model.embed(texts, options)
      const tokenizer = await wholeTokenizerOf(model)
      const read = texts.map((text) => {
        if (!isHeaded) return text
        const headings = [...chunks.headingsOf(text)]
        const path = (): string => tokenizer.readable(`${headings.join(' > ')}\n`)
        while (headings.length > 0 && tokenizer.count(path()) > ROOM_TOKENS) headings.shift()
        return headings.length === 0 ? text : `${path()}${text}`
      })
      const missing = [...new Set(read.filter((text) => !known.has(text)))]
      const rows = await model.embed(missing, options)
      const { dimensions } = profile
      missing.forEach((text, row) => known.set(text, rows.slice(row * dimensions, (row + 1) * dimensions)))
      const vectors = new Float32Array(read.length * dimensions)
      read.forEach((text, row) => {
        vectors.set(known.get(text) ?? [], row * dimensions)
      })
      return vectors
    },
  }
}

/** A word index in a folder that also gets the words of the headings of each chunk. */
export function headedWords(dataDir: string, chunks: CurrentChunks, isHeaded: boolean): LexicalIndex {
  const index = new SqliteLexicalIndex(join(dataDir, 'words'))
  const add = async (collection: string, rows: LexicalRows): Promise<void> => {
    const terms = rows.terms.map((own, row) => {
      const headings = isHeaded ? chunks.headingsAt(rows.chunks[row] ?? 0) : []
      return [...headings.flatMap((heading) => termsOf(heading)), ...own]
    })
    await index.add(collection, { ...rows, terms })
  }
  return new Proxy<LexicalIndex>(index, {
    get: (target, name) => {
      if (name === 'add') return add
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}
