import { AlcoveApiError, type AlcoveClient, dataOf } from '../../api/api.js'
import { toast } from '../../ui/toasts.js'
import { Store } from './store.js'

/** The messages about a deletion. */
export interface DeletionTexts {
  /** Such as "3 documents deleted". */
  readonly text: string
  readonly undo: string
  readonly tryAgain: string
  /** Says why documents were not deleted. */
  readonly failed: (count: number, error: unknown) => string
}

const DELETIONS_AT_ONCE = 4

/**
 * Deletions of documents. A document disappears at once. The server deletes it only when the message with "Undo" is gone,
 * or when the user leaves the page.
 */
export class Deletions {
  /** Ids of documents that are not shown any more. */
  readonly hidden: Store<ReadonlySet<number>> = new Store<ReadonlySet<number>>(new Set())
  readonly #api: AlcoveClient
  readonly #contextId: number
  /** Deletions that can be undone still. */
  readonly #pending = new Set<(isLeaving: boolean) => void>()

  constructor(api: AlcoveClient, contextId: number) {
    this.#api = api
    this.#contextId = contextId
  }

  /** @param onDeleted gets the ids of the documents that the server has deleted */
  delete(ids: readonly number[], texts: DeletionTexts, onDeleted: (ids: readonly number[]) => void): void {
    this.hidden.set(new Set([...this.hidden.get(), ...ids]))
    const commit = (isLeaving: boolean): void => {
      this.#forget(commit)
      void this.#send(ids, texts, onDeleted, isLeaving)
    }
    this.#pending.add(commit)
    window.addEventListener('pagehide', this.#leave)
    const undo = (): void => {
      this.#forget(commit)
      this.#show(ids)
    }
    toast({
      text: texts.text,
      action: { label: texts.undo, onPress: undo },
      onClose: () => {
        if (this.#pending.has(commit)) commit(false)
      },
    })
  }

  #forget(commit: (isLeaving: boolean) => void): void {
    this.#pending.delete(commit)
    if (this.#pending.size === 0) window.removeEventListener('pagehide', this.#leave)
  }

  readonly #leave = (): void => {
    for (const commit of [...this.#pending]) commit(true)
  }

  #show(ids: readonly number[]): void {
    const shown = new Set(ids)
    this.hidden.set(new Set([...this.hidden.get()].filter((id) => !shown.has(id))))
  }

  async #send(
    ids: readonly number[],
    texts: DeletionTexts,
    onDeleted: (ids: readonly number[]) => void,
    isLeaving: boolean,
  ): Promise<void> {
    const deleted: number[] = []
    const kept: number[] = []
    let failure: unknown
    const rest = [...ids]
    const sendRest = async (): Promise<void> => {
      for (let id = rest.shift(); id !== undefined; id = rest.shift()) {
        try {
          await this.#deleteOne(id, isLeaving)
          deleted.push(id)
        } catch (error) {
          failure = error
          kept.push(id)
        }
      }
    }
    // Nothing can wait once the page is gone.
    const places = isLeaving ? ids.length : DELETIONS_AT_ONCE
    await Promise.all(Array.from({ length: places }, sendRest))
    onDeleted(deleted)
    this.#show(ids)
    if (kept.length === 0) return
    const tryAgain = (): void => {
      this.hidden.set(new Set([...this.hidden.get(), ...kept]))
      void this.#send(kept, texts, onDeleted, false)
    }
    toast({ text: texts.failed(kept.length, failure), action: { label: texts.tryAgain, onPress: tryAgain } }, 0)
  }

  async #deleteOne(docId: number, isLeaving: boolean): Promise<void> {
    const params = { path: { contextId: this.#contextId, docId } }
    try {
      await dataOf(
        this.#api.DELETE('/context/documents/{contextId}/{docId}', { params, ...(isLeaving && { keepalive: true }) }),
      )
    } catch (error) {
      // Somebody else was faster.
      if (!(error instanceof AlcoveApiError && error.code === 'ERR_DOCUMENT_NOT_FOUND')) throw error
    }
  }
}
