import {
  type EmbeddingModel,
  type FileStore,
  type LexicalIndex,
  type TextExtractor,
  UnsupportedError,
  type VectorIndex,
} from '../../src/ports/index.js'

/** Ports that an engine on the database alone does not have. */

function refuse(): never {
  throw new UnsupportedError('this engine was opened on the database only: open the data folder to upload or search')
}

async function refuseAsync(): Promise<never> {
  return await Promise.resolve().then(refuse)
}

async function* refuseIteration(): AsyncGenerator<never> {
  await refuseAsync()
}

async function nothing(): Promise<void> {
  await Promise.resolve()
}

export const NO_VECTOR_INDEX: VectorIndex = {
  add: refuseAsync,
  search: refuseAsync,
  nearestWindows: refuseAsync,
  count: refuseAsync,
  read: refuseAsync,
  deleteDocument: refuseAsync,
  countByDocument: refuseAsync,
  listCollections: refuseAsync,
  drop: refuseAsync,
  close: nothing,
}

export const NO_LEXICAL_INDEX: LexicalIndex = {
  add: refuseAsync,
  search: refuseAsync,
  deleteDocument: refuseAsync,
  count: refuseAsync,
  countByDocument: refuseAsync,
  listCollections: refuseAsync,
  drop: refuseAsync,
  close: nothing,
}

export const NO_FILE_STORE: FileStore = {
  write: refuseAsync,
  read: refuseIteration,
  sizeOf: refuseAsync,
  digest: refuseAsync,
  delete: refuseAsync,
  list: refuseIteration,
  removeUnfinished: refuseAsync,
}

export const NO_TEXT_EXTRACTOR: TextExtractor = {
  formats: [],
  identify: refuseAsync,
  extract: refuseIteration,
  close: nothing,
}

/** A model that is known by its profile only. */
export function withoutWeights({ profile }: Pick<EmbeddingModel, 'profile'>): EmbeddingModel {
  return { profile, tokenizer: refuseAsync, embed: refuseAsync, verify: refuseAsync, close: nothing }
}
