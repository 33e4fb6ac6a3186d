import { InvalidInputError } from '../kernel/errors.js'
import type { Telemetry } from '../ports/index.js'
import type { Document } from './document.js'

/** How far a document is. */
export interface DocumentProgress {
  readonly contextId: number
  readonly fileName: string
  /** UTF-16 units of text extracted so far. */
  readonly charactersExtracted: number
  /** Windows embedded, or taken from before, so far. */
  readonly windowsEmbedded: number
}

/** A document that can be found by its words. */
export interface FindableDocument {
  readonly contextId: number
  readonly fileName: string
}

/** What listeners of the engine hear about documents. */
export interface DocumentEvents {
  'document.completed': Document
  'document.failed': Document
  'document.progress': DocumentProgress
  /**
   * All words of a document are indexed: a search by words finds it, though its vectors may still be computed. Comes
   * once, before `document.completed`, in contexts whose setting `findsEarly` is on.
   */
  'document.findable': FindableDocument
}

type Listener<Name extends keyof DocumentEvents> = (event: DocumentEvents[Name]) => void

/** Tells listeners in this process. A listener that throws harms nobody else. */
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
   * @returns a function that ends it
   * @throws InvalidInputError for an event that there is not, or a listener that is no function
   */
  on<Name extends keyof DocumentEvents>(name: Name, listener: Listener<Name>): () => void {
    if (!Object.hasOwn(this.#listeners, name))
      throw new InvalidInputError(
        'name',
        `there is no event ${name}: there are ${Object.keys(this.#listeners).join(', ')}`,
      )
    if (typeof (listener as unknown) !== 'function')
      throw new InvalidInputError('listener', `of ${name}: must be a function`)
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
