import {
  type EmbeddingModel,
  type FileStore,
  type LexicalIndex,
  type TextExtractor,
  UnsupportedError,
  type VectorIndex,
} from '../../src/ports/index.js'

/** Ports that an engine without the data folder does not have. */

function refuse(): never {
  throw new UnsupportedError('this engine has only the database: open the data folder to upload or search')
}

async function refuseAsync(): Promise<never> {
  return await Promise.resolve().then(refuse)
}

async function* refuseIteration(): AsyncGenerator<never> {
  await refuseAsync()
}

async function doNothing(): Promise<void> {
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
  close: doNothing,
}

export const NO_LEXICAL_INDEX: LexicalIndex = {
  add: refuseAsync,
  search: refuseAsync,
  deleteDocument: refuseAsync,
  count: refuseAsync,
  countByDocument: refuseAsync,
  listCollections: refuseAsync,
  drop: refuseAsync,
  close: doNothing,
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
  close: doNothing,
}

/** A model of which only the profile can be used. */
export function withoutWeights({ profile }: Pick<EmbeddingModel, 'profile'>): EmbeddingModel {
  return { profile, tokenizer: refuseAsync, embed: refuseAsync, verify: refuseAsync, close: doNothing }
}
