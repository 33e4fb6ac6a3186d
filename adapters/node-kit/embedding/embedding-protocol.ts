import type { ErrorCode } from '../../../src/ports/index.js'
import type { ModelFolder } from './model-folder.js'

/** A model that a thread runs, and the module that knows how. */
export interface DeviceModel extends ModelFolder {
  /** The URL of a module that exports an {@link OpenRunner} named `openRunner`. */
  readonly runner: string
}

/** A text, or its tokens with special tokens if the adapter has encoded it. */
export type EmbeddingInput = string | Int32Array

/** A request of the host's thread to the worker. */
export type EmbeddingRequest =
  | {
      readonly type: 'embed'
      readonly id: number
      readonly model: DeviceModel
      readonly kind: 'query' | 'passage'
      readonly isUrgent: boolean
      readonly inputs: readonly EmbeddingInput[]
      /** The indexes of the inputs among the caller's texts, for errors. */
      readonly rows: readonly number[]
    }
  /** The caller does not wait for this request any more. */
  | { readonly type: 'cancel'; readonly id: number }
  /** A user of this model has released it. If `isLast`, no user is left, and the worker discards the model. */
  | { readonly type: 'release'; readonly id: number; readonly model: DeviceModel; readonly isLast: boolean }

/** The worker's answer: one for each `release` and for each `embed` that is not cancelled. */
export type EmbeddingResponse =
  /** The worker has loaded the native runtime, or has failed to. */
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly id: number; readonly vectors: Float32Array }
  /** The work in progress at the time of the request has ended. */
  | { readonly type: 'released'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly code: ErrorCode | undefined; readonly message: string }

/** The key of a loaded model. */
export function modelKey({ folder, profile, runner }: DeviceModel): string {
  return `${profile.fingerprint} ${runner} ${folder}`
}
