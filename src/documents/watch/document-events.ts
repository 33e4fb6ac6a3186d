import { InvalidInputError } from '../../kernel/errors.js'
import type { Telemetry } from '../../ports/index.js'
import type { Document } from '../document.js'
import type { ProcessingStage } from '../document-state.js'

/** The progress of a document, or of a version that is to replace it. */
export interface DocumentProgress {
  readonly contextId: number
  /** UUID of the version. */
  readonly fileName: string
  /** `reading` until the whole text is read, cut and indexed by its words; then `embedding`. */
  readonly stage: ProcessingStage
  /** UTF-16 units of text extracted so far. */
  readonly charactersExtracted: number
  /** Windows that have their vectors so far, reused ones included. */
  readonly windowsEmbedded: number
  /** Number of windows. Null while the text is read. */
  readonly windowsTotal: number | null
  /** Share of the windows that have their vectors, 0 to 99. Null while the text is read. */
  readonly percent: number | null
}

/** A document that searches by words find. */
export interface FindableDocument {
  readonly contextId: number
  /** UUID of the version that they find. */
  readonly fileName: string
}

/** A context whose documents were re-indexed. */
export interface ReindexedContext {
  readonly contextId: number
}

/** The events about documents, by name, for listeners of the engine. */
export interface DocumentEvents {
  /** A document is completed, or a replacement is: then it is the document from now on. */
  'document.completed': Document
  /**
   * A document has failed, or a replacement has. The event describes the version that failed, with its UUID and its
   * error. If it is a replacement, the document itself stays as it was.
   */
  'document.failed': Document
  'document.progress': DocumentProgress
  /**
   * All words of a document are indexed. A search by words finds it, even if its vectors are still being computed.
   * Emitted once, before `document.completed`, in contexts whose setting `findsEarly` is on. A replacement is findable
   * when it is completed, and no earlier.
   */
  'document.findable': FindableDocument
  /** A re-index is finished: searches of the context find its documents as the new settings cut and embed them. */
  'context.reindexed': ReindexedContext
}

type Listener<Name extends keyof DocumentEvents> = (event: DocumentEvents[Name]) => void

/** Notifies listeners in this process. An error of one listener does not affect the others. */
export class DocumentEventEmitter {
  readonly #listeners: { readonly [Name in keyof DocumentEvents]: Set<Listener<Name>> } = {
    'document.completed': new Set(),
    'document.failed': new Set(),
    'document.progress': new Set(),
    'document.findable': new Set(),
    'context.reindexed': new Set(),
  }

  constructor(private readonly telemetry: Telemetry) {}

  /**
   * @returns a function that removes the listener
   * @throws InvalidInputError for an unknown event, or a listener that is no function
   */
  on<Name extends keyof DocumentEvents>(name: Name, listener: Listener<Name>): () => void {
    if (!Object.hasOwn(this.#listeners, name))
      throw new InvalidInputError(
        'name',
        `unknown event "${name}"; expected one of ${Object.keys(this.#listeners).join(', ')}`,
      )
    if (typeof (listener as unknown) !== 'function')
      throw new InvalidInputError('listener', `must be a function, for the event ${name}`)
    const listeners: Set<Listener<Name>> = this.#listeners[name]
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  emit<Name extends keyof DocumentEvents>(name: Name, event: DocumentEvents[Name]): void {
    const listeners: Set<Listener<Name>> = this.#listeners[name]
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (error) {
        this.telemetry.record({ name: 'events.listener.failed', level: 'error', fields: { event: name }, error })
      }
    }
  }
}
