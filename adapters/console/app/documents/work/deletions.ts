import { AlcoveApiError, type AlcoveClient, dataOf } from '../../api/api.js'
import type { LoginEndReason } from '../../login/login-end.js'
import { Store } from '../../ui/store.js'
import { toast } from '../../ui/toasts.js'
import type { Listed } from '../document.js'
import type { GivenFile } from './upload-queue.js'

/** The messages about a deletion. */
interface DeletionTexts {
  /** Such as "3 documents deleted". */
  readonly text: string
  readonly undo: string
  readonly tryAgain: string
  /** Says why documents were not deleted. */
  readonly failed: (count: number, error: unknown) => string
}

type Deleted = Pick<Listed, 'id' | 'size' | 'replacement'>

interface Deletion {
  readonly documents: readonly Deleted[]
  readonly texts: DeletionTexts
  /** Gets the ids of the documents that the server has deleted. */
  readonly onDeleted: (ids: readonly number[]) => void
}

const DELETIONS_AT_ONCE = 4
/** Browsers limit the requests that outlive a page. More documents than these make the browser ask before it leaves. */
const DELETIONS_AFTER_LEAVING = 6
/** A server that hangs must not keep the user signed in. */
const SIGN_OUT_MS = 10_000

/**
 * Deletions of documents. A document disappears at once. The server deletes it only when the message with "Undo" is gone,
 * when the user leaves the page or signs out, or before the same file is uploaded again.
 */
export class Deletions {
  /** Ids of documents that are not shown any more. */
  readonly hidden: Store<ReadonlySet<number>> = new Store<ReadonlySet<number>>(new Set())
  readonly #end = new AbortController()
  /** Deletions that can be undone still, with a function that closes the message. */
  readonly #pending = new Map<Deletion, () => void>()
  /** Deletions that failed and can be tried again, with a function that closes the message. */
  readonly #failed = new Map<Deletion, () => void>()
  readonly #running = new Map<Deletion, Promise<void>>()
  /** For each running deletion, a function that takes its documents one by one. */
  readonly #workers = new Set<() => Promise<void>>()
  /** Documents that no request is on its way for. */
  #waiting = 0

  constructor(
    private readonly api: AlcoveClient,
    private readonly contextId: number,
  ) {}

  /** Number of deleted documents that the user can still restore. */
  get undoableCount(): number {
    return [...this.#pending.keys()].reduce((sum, { documents }) => sum + documents.length, 0)
  }

  delete(deletion: Deletion): void {
    if (this.#end.signal.aborted) return
    const { documents, texts } = deletion
    this.#hide(documents)
    const close = toast({
      text: texts.text,
      action: { label: texts.undo, onPress: () => this.#undo(deletion) },
      onClose: () => this.#commit(deletion),
    })
    this.#pending.set(deletion, close)
    this.#waiting += documents.length
    window.addEventListener('beforeunload', this.#ask)
    window.addEventListener('pagehide', this.#leave)
  }

  /**
   * Call it before a file is sent. The same bytes may be those of a document that is about to be deleted, and the deletion
   * would then delete what was sent. Such a deletion ends first; one of the document that gets the file is undone. It
   * never rejects.
   */
  async settle({ size, replaces, retries }: Pick<GivenFile, 'size' | 'replaces' | 'retries'>): Promise<void> {
    const has = (id: number | undefined, { documents }: Deletion): boolean =>
      documents.some((document) => document.id === id || sizesOf(document).includes(size))
    const target = replaces ?? retries
    for (const [deletion, close] of [...this.#pending]) {
      if (!has(target, deletion)) continue
      if (deletion.documents.some(({ id }) => id === target)) this.#undo(deletion)
      else this.#commit(deletion)
      close()
    }
    for (const [deletion, close] of [...this.#failed]) {
      if (!has(target, deletion)) continue
      this.#failed.delete(deletion)
      close()
    }
    await Promise.all([...this.#running].map(async ([deletion, running]) => has(target, deletion) && (await running)))
  }

  /** Sends before a sign-out what can be undone still, and forgets it when the login is gone. It never rejects. */
  async end(reason: LoginEndReason): Promise<void> {
    if (reason === 'sign-out') {
      this.#commitAll()
      await Promise.race([Promise.all(this.#running.values()), pause(SIGN_OUT_MS)])
    }
    this.#end.abort(new Error('the login has ended'))
    this.#pending.clear()
    this.#failed.clear()
    this.#waiting = 0
    this.#release()
    this.hidden.set(new Set())
  }

  #undo(deletion: Deletion): void {
    if (!this.#pending.delete(deletion)) return
    this.#waiting -= deletion.documents.length
    this.#show(deletion.documents)
    this.#release()
  }

  #commit(deletion: Deletion): void {
    if (this.#pending.delete(deletion)) this.#start(deletion)
  }

  #commitAll(): void {
    for (const [deletion, close] of [...this.#pending]) {
      this.#commit(deletion)
      close()
    }
  }

  #start(deletion: Deletion): void {
    const running = this.#send(deletion).finally(() => {
      this.#running.delete(deletion)
      this.#release()
    })
    this.#running.set(deletion, running)
  }

  #release(): void {
    if (this.#pending.size + this.#running.size > 0) return
    window.removeEventListener('beforeunload', this.#ask)
    window.removeEventListener('pagehide', this.#leave)
  }

  /** Many deletions need the page. They begin while the browser asks. */
  readonly #ask = (event: BeforeUnloadEvent): void => {
    if (this.#waiting <= DELETIONS_AFTER_LEAVING) return
    event.preventDefault()
    this.#commitAll()
  }

  readonly #leave = (): void => {
    this.#commitAll()
    const workers = [...this.#workers]
    for (let place = 0; place < DELETIONS_AFTER_LEAVING; place += 1) void workers[place % workers.length]?.()
  }

  #hide(documents: readonly Deleted[]): void {
    this.hidden.set(new Set([...this.hidden.get(), ...documents.map(({ id }) => id)]))
  }

  #show(documents: readonly Deleted[]): void {
    const shown = new Set(documents.map(({ id }) => id))
    this.hidden.set(new Set([...this.hidden.get()].filter((id) => !shown.has(id))))
  }

  async #send({ documents, texts, onDeleted }: Deletion): Promise<void> {
    const rest = documents.values()
    const deleted: number[] = []
    const kept: Deleted[] = []
    let failure: unknown
    const worker = async (): Promise<void> => {
      for (const document of rest) {
        if (this.#end.signal.aborted) return
        this.#waiting -= 1
        try {
          await this.#deleteOne(document.id)
          deleted.push(document.id)
        } catch (error) {
          failure = error
          kept.push(document)
        }
      }
    }
    this.#workers.add(worker)
    await Promise.all(Array.from({ length: DELETIONS_AT_ONCE }, worker))
    this.#workers.delete(worker)
    if (this.#end.signal.aborted) return
    // The deleted ones stay hidden: the list may be another one by now, which has still to read that they are gone.
    onDeleted(deleted)
    this.#show(kept)
    if (kept.length > 0) this.#tellFailure({ documents: kept, texts, onDeleted }, failure)
  }

  #tellFailure(deletion: Deletion, failure: unknown): void {
    const { documents, texts } = deletion
    const tryAgain = (): void => {
      if (!this.#failed.delete(deletion)) return
      this.#hide(documents)
      this.#waiting += documents.length
      this.#start(deletion)
    }
    const text = texts.failed(documents.length, failure)
    const onClose = (): boolean => this.#failed.delete(deletion)
    this.#failed.set(deletion, toast({ text, action: { label: texts.tryAgain, onPress: tryAgain }, onClose }, 0))
  }

  async #deleteOne(docId: number): Promise<void> {
    const params = { path: { contextId: this.contextId, docId } }
    const { signal } = this.#end
    try {
      await dataOf(this.api.DELETE('/context/documents/{contextId}/{docId}', { params, signal, keepalive: true }))
    } catch (error) {
      // Somebody else was faster.
      if (!(error instanceof AlcoveApiError && error.code === 'ERR_DOCUMENT_NOT_FOUND')) throw error
    }
  }
}

/** The sizes of both versions. */
function sizesOf({ size, replacement }: Deleted): readonly (number | undefined)[] {
  return [size, replacement?.size]
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}
