import type { ExtractedPiece, ExtractionErrorCode, RecognizedText } from '../../../src/ports/index.js'

/** Messages from the host to the reading thread. */
export type HostMessage =
  /** Starts a file. `picturesAtOnce` is the number of pictures that the host reads at the same time; 0 if it reads none. */
  | {
      readonly type: 'extract'
      readonly fileName: string
      readonly sizeBytes: number
      readonly contentType?: string
      readonly picturesAtOnce: number
    }
  /** The answer to `pull`: the next bytes, or null at the end. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array | null }
  /** Allows one more piece. */
  | { readonly type: 'next' }
  /** Asks for the next bytes of a picture. */
  | { readonly type: 'pull-picture'; readonly id: number }
  /** The answer to a whole picture: its text, or the reason why it cannot be read. */
  | ({ readonly type: 'recognized'; readonly id: number } & RecognizedText)
  | {
      readonly type: 'unrecognized'
      readonly id: number
      readonly code: ExtractionErrorCode
      readonly message: string
      /** True if the file has used its time: no other picture of it is read. */
      readonly isOver: boolean
    }

/** Messages from the reading thread to the host. */
export type WorkerMessage =
  /** Asks for the bytes of the file from its beginning. */
  | { readonly type: 'open' }
  /** Asks for the next bytes. */
  | { readonly type: 'pull' }
  | { readonly type: 'piece'; readonly piece: ExtractedPiece }
  | PictureMessage
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly code: ExtractionErrorCode | undefined; readonly message: string }

/** Messages about a picture whose text the host recognises. `id` is its number among all pictures of the thread. */
export type PictureMessage =
  /** Announces a picture. The host asks for its bytes when it has a place for them. */
  | { readonly type: 'picture'; readonly id: number; readonly sizeBytes: number }
  /** The answer to `pull-picture`: the next bytes. */
  | { readonly type: 'picture-bytes'; readonly id: number; readonly bytes: Uint8Array }

/** Messages from the reading process to the host: those of its thread, and those about itself. */
export type ProcessMessage =
  | WorkerMessage
  /** The process uses much memory: another process must read the next file. */
  | { readonly type: 'worn' }
  /** The current file uses much of the allowed memory. */
  | { readonly type: 'grown' }
  /** The thread has ended, and the process ends next. */
  | { readonly type: 'died'; readonly cause: 'memory' | 'crash' }

/**
 * Messages that the host receives about a reading process. `exit` is its signal, its exit code or the error of its
 * start.
 */
export type Arrival = ProcessMessage | { readonly type: 'ended'; readonly exit: string | number | undefined }

/** A message from the host to the starter about one process. */
export interface ToProcess {
  readonly id: number
  readonly message: HostMessage | { readonly type: 'start' } | { readonly type: 'kill' }
}

/** A message from the starter to the host about one process. */
export interface FromProcess {
  readonly id: number
  readonly arrival: Arrival
}

/** Passes items on in their order, to a waiting or a later call of `take`. */
export class Mailbox<Item> {
  readonly #items: Item[] = []
  readonly #waiting: ((item: Item) => void)[] = []

  put(item: Item): void {
    const receive = this.#waiting.shift()
    if (receive === undefined) this.#items.push(item)
    else receive(item)
  }

  async take(): Promise<Item> {
    if (this.#items.length > 0) return this.#items.shift() as Item
    return await new Promise((resolve) => this.#waiting.push(resolve))
  }
}
