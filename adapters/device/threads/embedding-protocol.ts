import type { ModelFolder } from '../model-folder.js'
import type { ThreadError } from './thread-error.js'

/** A request of the host's thread to the worker. */
export type EmbeddingRequest =
  | {
      readonly type: 'embed'
      readonly id: number
      readonly model: ModelFolder
      readonly isUrgent: boolean
      /** The tokens of each text, special tokens included. */
      readonly inputs: readonly Int32Array[]
    }
  /** The caller does not wait for this request any more. */
  | { readonly type: 'cancel'; readonly id: number }
  /** A user of this model has released it. If `isLast`, no user is left, and the worker discards the model. */
  | { readonly type: 'release'; readonly id: number; readonly model: ModelFolder; readonly isLast: boolean }

/** The worker's answer: one for each `release` and for each `embed` that is not cancelled. */
export type EmbeddingResponse =
  /** The worker has loaded the native runtime, or has failed to. */
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly id: number; readonly vectors: Float32Array }
  /** The work in progress at the time of the request has ended. */
  | { readonly type: 'released'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly error: ThreadError }

/** The key of a loaded model. */
export function modelKey({ folder, profile }: ModelFolder): string {
  return `${profile.fingerprint} ${folder}`
}
