import { isUnreadable, make, type Recipe } from './soak-documents.js'
import type { Call, Outcome } from './soak-protocol.js'

/** The state of a document or context. `doubtful`: the process was killed before it could acknowledge the call. */
type State = 'live' | 'doubtful' | 'deleted'

export interface KnownDocument {
  readonly uuid: string
  readonly contextId: number
  readonly fileName: string
  readonly recipe: Recipe
  state: State
}

type Upload = Extract<Call, { readonly type: 'upload' }>

/** A document as the database has it. */
export interface ListedDocument {
  readonly uuid: string
  readonly contextId: number
  readonly fileName: string
  readonly sha256: string
  readonly error: string | null
}

/** The reported calls of a soak's processes, and the data that must therefore exist. */
export class SoakLedger {
  readonly contexts: Map<number, State> = new Map()
  readonly documents: Map<string, KnownDocument> = new Map()
  readonly codes: Map<string, number> = new Map()
  acknowledged = 0
  readonly #underWay = new Map<number, Call>()
  /** Uploads with an unknown outcome. */
  #doubtfulUploads: Upload[] = []
  #mayHaveNewContext = false

  begin(id: number, call: Call): void {
    this.#underWay.set(id, call)
    this.#mark(call, 'doubtful')
  }

  end(id: number, outcome: Outcome): void {
    const call = this.#underWay.get(id)
    this.#underWay.delete(id)
    if (call === undefined) return
    if ('code' in outcome) {
      this.codes.set(outcome.code, (this.codes.get(outcome.code) ?? 0) + 1)
      // A refused deletion changes no state here: another call has deleted the document already.
      if (call.type === 'upload') this.#doubtfulUploads.push(call)
      return
    }
    this.acknowledged += 1
    if (call.type === 'create-context') this.contexts.set(Number(outcome.value), 'live')
    else if (call.type === 'upload') this.#uploaded(outcome.value, call)
    else this.#mark(call, 'deleted')
  }

  /** The process is dead: calls in progress may or may not have succeeded. */
  killed(): void {
    for (const call of this.#underWay.values()) {
      if (call.type === 'upload') this.#doubtfulUploads.push(call)
      if (call.type === 'create-context') this.#mayHaveNewContext = true
    }
    this.#underWay.clear()
  }

  /** Compares the stored data with the expected data; this settles every doubtful state. */
  async reconcile(contexts: ReadonlySet<number>, listed: readonly ListedDocument[]): Promise<string[]> {
    const problems = this.#reconcileContexts(contexts)
    const byUuid = new Map(listed.map((document) => [document.uuid, document]))
    for (const known of this.documents.values()) {
      if (!contexts.has(known.contextId)) known.state = 'deleted'
      const document = byUuid.get(known.uuid)
      if (known.state === 'live' && document === undefined) problems.push(`${known.uuid} was acknowledged and is lost`)
      if (known.state === 'deleted' && document !== undefined) problems.push(`${known.uuid} was deleted and is listed`)
      known.state = document === undefined ? 'deleted' : 'live'
    }
    for (const document of listed) {
      const known = this.documents.get(document.uuid) ?? (await this.#recognise(document))
      if (known === undefined) problems.push(`${document.uuid} is listed, and nobody has uploaded it`)
      else problems.push(...wrongOutcome(document, known))
    }
    this.#doubtfulUploads = []
    this.#mayHaveNewContext = false
    return problems
  }

  #reconcileContexts(contexts: ReadonlySet<number>): string[] {
    const problems: string[] = []
    for (const [id, state] of this.contexts) {
      if (state === 'live' && !contexts.has(id)) problems.push(`the context ${id} is lost`)
      if (state === 'deleted' && contexts.has(id)) problems.push(`the context ${id} was deleted and is there`)
      this.contexts.set(id, contexts.has(id) ? 'live' : 'deleted')
    }
    for (const id of contexts) {
      if (this.contexts.has(id)) continue
      if (!this.#mayHaveNewContext) problems.push(`nobody has made the context ${id}`)
      this.contexts.set(id, 'live')
    }
    return problems
  }

  #uploaded(uuid: string, { contextId, fileName, recipe }: Upload): void {
    // An upload of the same bytes under the same name returns the existing document, even if that is then deleted.
    if (!this.documents.has(uuid)) {
      const state = this.contexts.get(contextId) === 'live' ? 'live' : 'doubtful'
      this.documents.set(uuid, { uuid, contextId, fileName, recipe, state })
    }
  }

  #mark(call: Call, state: State): void {
    if (call.type === 'delete-context') {
      if (this.contexts.get(call.contextId) !== 'deleted') this.contexts.set(call.contextId, state)
      for (const document of this.documents.values()) {
        if (document.contextId === call.contextId && document.state !== 'deleted') document.state = state
      }
    }
    if (call.type !== 'delete-document') return
    const document = this.documents.get(call.uuid)
    if (document !== undefined && document.state !== 'deleted') document.state = state
  }

  async #recognise(document: ListedDocument): Promise<KnownDocument | undefined> {
    for (const upload of this.#doubtfulUploads) {
      if (upload.contextId !== document.contextId || upload.fileName !== document.fileName) continue
      if ((await make(upload.recipe)).sha256 !== document.sha256) continue
      const known: KnownDocument = { uuid: document.uuid, ...upload, state: 'live' }
      this.documents.set(document.uuid, known)
      return known
    }
    return undefined
  }
}

function wrongOutcome({ uuid, error }: ListedDocument, { recipe }: KnownDocument): string[] {
  if (isUnreadable(recipe) === (error !== null)) return []
  return [`${uuid} (${recipe.kind}) ended with ${error ?? 'success'}`]
}
