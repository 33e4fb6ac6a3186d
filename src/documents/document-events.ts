import { InvalidInputError } from '../kernel/errors.js'
import type { Telemetry } from '../ports/index.js'
import type { Document } from './document.js'

/** The progress of a document. */
export interface DocumentProgress {
  readonly contextId: number
  readonly fileName: string
  /** UTF-16 units of text extracted so far. */
  readonly charactersExtracted: number
  /** Windows that have their vectors so far, reused ones included. */
  readonly windowsEmbedded: number
}

/** A document that searches by words find. */
export interface FindableDocument {
  readonly contextId: number
  readonly fileName: string
}

/** The events about documents, by name, for listeners of the engine. */
export interface DocumentEvents {
  'document.completed': Document
  'document.failed': Document
  'document.progress': DocumentProgress
  /**
   * All words of a document are indexed. A search by words finds it, even if its vectors are still being computed.
   * Emitted once, before `document.completed`, in contexts whose setting `findsEarly` is on.
   */
  'document.findable': FindableDocument
}

type Listener<Name extends keyof DocumentEvents> = (event: DocumentEvents[Name]) => void

/** Notifies listeners in this process. An error of one listener does not affect the others. */
export class DocumentEventEmitter {
  readonly #telemetry: Telemetry
  readonly #listeners: { readonly [Name in keyof DocumentEvents]: Set<Listener<Name>> } = {
    'document.completed': new Set(),
    'document.failed': new Set(),
    'document.progress': new Set(),
    'document.findable': new Set(),
  }

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry
  }

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
        this.#telemetry.record({ name: 'events.listener.failed', level: 'error', fields: { event: name }, error })
      }
    }
  }
}
