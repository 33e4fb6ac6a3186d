import type { ExtractedPiece, ExtractionErrorCode } from '../../../src/ports/index.js'

/** What the host tells the thread that reads. */
export type HostMessage =
  /** Begin with a file. */
  | { readonly type: 'extract'; readonly fileName: string; readonly sizeBytes: number }
  /** The bytes asked for by `pull`; null at the end. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array | null }
  /** One more piece may be sent. */
  | { readonly type: 'next' }

/** What the thread that reads tells the host. */
export type WorkerMessage =
  /** Bytes are wanted from the beginning of the file. */
  | { readonly type: 'open' }
  /** The next bytes are wanted. */
  | { readonly type: 'pull' }
  | { readonly type: 'piece'; readonly piece: ExtractedPiece }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly code: ExtractionErrorCode | undefined; readonly message: string }

/** What the process that reads tells the host: what its thread says, and what becomes of itself. */
export type ProcessMessage =
  | WorkerMessage
  /** This process has grown: its next file is read better by another one. */
  | { readonly type: 'worn' }
  /** The file at hand takes much of the memory that it may. */
  | { readonly type: 'grown' }
  /** The thread is gone, and the process will be. */
  | { readonly type: 'died'; readonly cause: 'memory' | 'crash' }

/** What the host hears of a process that reads: what it says, and its end. */
export type Arrival = ProcessMessage | { readonly type: 'gone'; readonly how: string | number | undefined }

/** What the host tells the starter about the process with that number. */
export interface ToProcess {
  readonly id: number
  readonly message: HostMessage | { readonly type: 'start' } | { readonly type: 'kill' }
}

/** What the starter tells the host about the process with that number. */
export interface FromProcess {
  readonly id: number
  readonly arrival: Arrival
}
