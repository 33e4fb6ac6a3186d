import type { ErrorCode } from '../../src/ports/index.js'
import type { ModelFolder } from './model-folder.js'

/** What the host's thread asks of the worker. */
export type EmbeddingRequest =
  | {
      readonly type: 'embed'
      readonly id: number
      readonly model: ModelFolder
      readonly kind: 'query' | 'passage'
      readonly texts: readonly string[]
    }
  /** Nobody waits for this request any more. */
  | { readonly type: 'cancel'; readonly id: number }
  /** Nobody uses this model any more: free its memory. */
  | { readonly type: 'unload'; readonly model: ModelFolder }

/** What the worker answers, once for each `embed` that is not cancelled. */
export type EmbeddingResponse =
  | { readonly type: 'done'; readonly id: number; readonly vectors: Float32Array }
  | { readonly type: 'failed'; readonly id: number; readonly code: ErrorCode | undefined; readonly message: string }

/** Names a model among those that are loaded. */
export function modelKey({ folder, profile }: ModelFolder): string {
  return `${profile.fingerprint} ${folder}`
}
