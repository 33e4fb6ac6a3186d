import type { ExtractedPiece, ExtractionErrorCode } from '../../src/ports/index.js'

/** What the host's thread tells the worker. */
export type HostMessage =
  /** Begin with a file. */
  | { readonly type: 'extract'; readonly fileName: string; readonly sizeBytes: number }
  /** The bytes asked for by `pull`; null at the end. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array | null }
  /** One more piece may be sent. */
  | { readonly type: 'next' }

/** What the worker tells the host's thread. */
export type WorkerMessage =
  /** Bytes are wanted from the beginning of the file. */
  | { readonly type: 'open' }
  /** The next bytes are wanted. */
  | { readonly type: 'pull' }
  | { readonly type: 'piece'; readonly piece: ExtractedPiece }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly code: ExtractionErrorCode | undefined; readonly message: string }
