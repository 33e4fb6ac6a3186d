import type { Container } from 'inversify'
import { DocumentEventEmitter, type DocumentEvents, EmbeddingModels } from '../ingestion/index.js'
import { checkSecretKey, RecordEvent, SecretBox } from '../outbox/index.js'
import { ClosedError, InvalidInputError, NotInitializedError } from '../shared/errors.js'
import {
  AccessRecorder,
  Initialize,
  type InitializeInput,
  type InitializeResult,
  type Principal,
  parsePrincipal,
} from '../tenancy-authorization/index.js'
import { type Authentication, authentication } from './authentication.js'
import { createContainer } from './container.js'
import type { Engine, EventOperations } from './engine.js'
import type { EngineOptions } from './engine-options.js'
import { checkHealth, type Health } from './health.js'
import { type HostAdministration, hostAdministration } from './host-administration.js'
import { createSession, type Session, type WorkSignals } from './session.js'
import { HTTP_TRANSPORT, MAILER, STORAGE, TEXT_EXTRACTOR, VECTOR_INDEX } from './tokens.js'
import { Workers } from './workers.js'

/** Does what `createEngine` says. */
export async function composeEngine(options: EngineOptions): Promise<Engine> {
  if (options.embeddingModels.length === 0)
    throw new InvalidInputError('embeddingModels', 'must have at least one model')
  const container = createContainer(options)
  try {
    const storage = container.get(STORAGE)
    await storage.open()
    await checkSecretKey(storage, container.get(SecretBox))
    const initialize = container.get(Initialize)
    const isWorking = options.isWorking ?? true
    const owner =
      (await initialize.findOwner()) ?? (isWorking ? await initialize.ensureOwner(options.initial) : undefined)
    if (owner === undefined) throw new NotInitializedError('there is no company yet: run "alcove init" first')
    const workers = isWorking ? new Workers(container, options) : undefined
    await workers?.start()
    return new ComposedEngine(container, owner, workers)
  } catch (error) {
    await closePorts(container)
    throw error
  }
}

const NO_WORKERS: WorkSignals = {
  documentUploaded: () => undefined,
  documentDeleted: () => undefined,
  contextDeleted: () => undefined,
  deliveriesQueued: () => undefined,
  deliveriesCancelled: () => undefined,
}

class ComposedEngine implements Engine {
  readonly owner: Principal
  readonly administration: HostAdministration
  readonly authentication: Authentication
  readonly events: EventOperations
  readonly #container: Container
  readonly #workers: Workers | undefined
  readonly #abort = new AbortController()
  readonly #underWay = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  constructor(container: Container, owner: Principal, workers: Workers | undefined) {
    this.owner = owner
    this.#container = container
    this.#workers = workers
    const signals = this.#workers ?? NO_WORKERS
    this.administration = hostAdministration(container, owner, signals)
    this.authentication = authentication(container)
    this.events = {
      record: async (event, options = {}) =>
        await container.get(RecordEvent).execute(event, options, () => signals.deliveriesQueued()),
    }
  }

  as(principal: Principal): Session {
    if (this.#closing !== undefined) throw new ClosedError('the engine')
    const workers = this.#workers ?? NO_WORKERS
    return createSession(this.#container, parsePrincipal(principal), {
      documentUploaded: () => workers.documentUploaded(),
      documentDeleted: (id) => workers.documentDeleted(id),
      contextDeleted: () => workers.contextDeleted(),
      deliveriesQueued: () => workers.deliveriesQueued(),
      deliveriesCancelled: (ids) => workers.deliveriesCancelled(ids),
      untilClosed: async (work) => await this.#untilClosed(work),
    })
  }

  on<Name extends keyof DocumentEvents>(name: Name, listener: (event: DocumentEvents[Name]) => void): () => void {
    return this.#container.get(DocumentEventEmitter).on(name, listener)
  }

  async initialize(input?: InitializeInput): Promise<InitializeResult> {
    return await this.#container.get(Initialize).execute(input)
  }

  async health(): Promise<Health> {
    return await checkHealth(this.#container)
  }

  async whenCleared(): Promise<void> {
    await this.#workers?.whenCleared()
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close()
    await this.#closing
  }

  async #untilClosed<T>(work: (closing: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new ClosedError('the engine')
    const working = work(this.#abort.signal)
    const ended = working.catch(() => undefined)
    this.#underWay.add(ended)
    try {
      return await working
    } finally {
      this.#underWay.delete(ended)
    }
  }

  async #close(): Promise<void> {
    this.#abort.abort(new ClosedError('the engine'))
    await Promise.all(this.#underWay)
    await this.#workers?.stop()
    await this.#container.get(AccessRecorder).flush()
    await closePorts(this.#container)
  }
}

/** What reads comes before what is read from. */
async function closePorts(container: Container): Promise<void> {
  await container.get(TEXT_EXTRACTOR).close()
  await container.get(EmbeddingModels).close()
  await container.get(VECTOR_INDEX).close()
  await container.get(MAILER).close()
  await container.get(HTTP_TRANSPORT).close()
  await container.get(STORAGE).close()
}
