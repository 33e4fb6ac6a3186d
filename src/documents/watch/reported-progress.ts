import { LruMap } from '../../kernel/lru-map.js'
import type { ProcessingProgress } from '../document-state.js'
import type { DocumentEventEmitter } from './document-events.js'

/** More documents than one process works on at a time. */
const MAX_DOCUMENTS = 1_000

/**
 * The progress of the documents that this process works on, whoever watches. The stored progress is coarser, and a
 * watch that begins later has heard none of it.
 */
export class ReportedProgress {
  /** By the UUID of the version. */
  readonly #progress = new LruMap<string, ProcessingProgress>(MAX_DOCUMENTS)

  constructor(events: DocumentEventEmitter) {
    events.on('document.progress', ({ fileName, stage, windowsEmbedded, windowsTotal }) =>
      this.#progress.set(fileName, { stage, windowsEmbedded, windowsTotal }),
    )
    for (const name of ['document.completed', 'document.failed'] as const)
      events.on(name, ({ uuid }) => this.forget(uuid))
  }

  /** @param uuid the one of a version */
  of(uuid: string): ProcessingProgress | undefined {
    return this.#progress.get(uuid)
  }

  /** The version is not being processed any more: its next run begins at the beginning. */
  forget(uuid: string): void {
    this.#progress.delete(uuid)
  }
}
