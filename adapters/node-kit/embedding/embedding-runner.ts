import type { InferenceSession } from 'onnxruntime-node'
import type { EmbeddingInput } from './embedding-protocol.js'
import type { ModelFolder } from './model-folder.js'

/** The inputs of one request. */
export interface RunnerInputs {
  readonly kind: 'query' | 'passage'
  readonly inputs: readonly EmbeddingInput[]
  /** The indexes of the inputs among the caller's texts, for errors. */
  readonly rows: readonly number[]
}

/** Texts of about the same length, padded to the longest. */
export interface TokenMatrix {
  /** With the shape text × token. */
  readonly ids: BigInt64Array
  /** 1 for a token, 0 for padding; shaped as the ids. */
  readonly mask: BigInt64Array
  readonly shape: readonly [texts: number, tokens: number]
}

/** A model in a thread: the part of it that differs between adapters. */
export interface Runner {
  /** The id that fills short texts. The model does not read it. */
  readonly paddingId: number

  /** Encodes the inputs of a request, special tokens included. @throws InvalidInputError for one that is too long */
  encode(request: RunnerInputs): readonly Int32Array[]

  /** Runs the model. @returns the vectors of the tokens, with the shape text × token × dimension */
  run(matrix: TokenMatrix): Promise<Float32Array>
}

/** @throws ModelError `ERR_MODEL_UNSUPPORTED` if the model has other inputs or outputs than the adapter knows */
export type OpenRunner = (model: ModelFolder, session: InferenceSession) => Promise<Runner>
