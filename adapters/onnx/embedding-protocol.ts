import type { ErrorCode } from '../../src/ports/index.js'
import type { ModelFolder } from './model-folder.js'

/** What the host's thread asks of the worker. */
export type EmbeddingRequest =
  | {
      readonly type: 'embed'
      readonly id: number
      readonly model: ModelFolder
      readonly kind: 'query' | 'passage'
      readonly isUrgent: boolean
      readonly texts: readonly string[]
      /** Which of the caller's texts they are, for errors. */
      readonly rows: readonly number[]
    }
  /** Nobody waits for this request any more. */
  | { readonly type: 'cancel'; readonly id: number }
  /** A user of this model has gone, the last one if `isLast`: then it is not kept any longer. */
  | { readonly type: 'release'; readonly id: number; readonly model: ModelFolder; readonly isLast: boolean }

/** What the worker answers, once for each `release` and each `embed` that is not cancelled. */
export type EmbeddingResponse =
  /** It has loaded the native runtime. */
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly id: number; readonly vectors: Float32Array }
  /** What the thread was computing when it was asked has ended. */
  | { readonly type: 'released'; readonly id: number }
  | { readonly type: 'failed'; readonly id: number; readonly code: ErrorCode | undefined; readonly message: string }

/** Names a model among those that are loaded. */
export function modelKey({ folder, profile }: ModelFolder): string {
  return `${profile.fingerprint} ${folder}`
}
