import type { Container } from 'inversify'
import { type RepairWorkers, Verify } from '../doctor/index.js'
import { DocumentEventEmitter, type DocumentEvents } from '../documents/index.js'
import { withAnySignal } from '../kernel/abort.js'
import { ClosedError, NotInitializedError } from '../kernel/errors.js'
import { SecretBox } from '../kernel/secret-box.js'
import { checkSecretKey, RecordEvent } from '../outbox/index.js'
import {
  AccessRecorder,
  Initialize,
  type InitializeInput,
  type InitializeResult,
  type Principal,
  parsePrincipal,
} from '../tenancy/index.js'
import { type Authentication, authentication } from './authentication.js'
import { createContainer } from './container.js'
import type { Engine, EventOperations } from './engine.js'
import { type EngineOptions, requireUsable } from './engine-options.js'
import { checkHealth, type Health } from './health.js'
import { type HostAdministration, hostAdministration } from './host-administration.js'
import { createSession, type Session, type WorkSignals } from './session.js'
import { Workers } from './workers.js'

/** Does what `createEngine` says. */
export async function composeEngine(options: EngineOptions): Promise<Engine> {
  let workers: Workers | undefined
  try {
    requireUsable(options)
    const container = createContainer(options)
    await options.storage.open()
    await checkSecretKey(options.storage, container.get(SecretBox))
    const initialize = container.get(Initialize)
    const isWorking = options.isWorking ?? true
    const owner =
      (await initialize.findOwner()) ?? (isWorking ? await initialize.ensureOwner(options.initial) : undefined)
    if (owner === undefined) throw new NotInitializedError('there is no company yet: run "alcove init" first')
    workers = isWorking ? new Workers(container, options) : undefined
    await workers?.start()
    return new ComposedEngine(options, container, owner, workers)
  } catch (error) {
    // What cannot be ended either is not what went wrong first.
    await workers?.stop().catch(() => undefined)
    await closePorts(options).catch(() => undefined)
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

const NO_REPAIR: RepairWorkers = {
  isIngesting: false,
  whenSwept: async () => undefined,
  begin: async () => undefined,
  wake: () => undefined,
  whenCleared: async () => 'done',
}

class ComposedEngine implements Engine {
  readonly owner: Principal
  readonly administration: HostAdministration
  readonly authentication: Authentication
  readonly events: EventOperations
  readonly #ports: EngineOptions
  readonly #container: Container
  readonly #workers: Workers | undefined
  /** Calls that end when the engine is closed: each with a signal of its own, for one with a thousand listeners warns. */
  readonly #underWay = new Map<AbortController, Promise<unknown>>()
  #closing: Promise<void> | undefined

  constructor(ports: EngineOptions, container: Container, owner: Principal, workers: Workers | undefined) {
    this.owner = owner
    this.#ports = ports
    this.#container = container
    this.#workers = workers
    const signals = this.#workers ?? NO_WORKERS
    this.administration = hostAdministration(container, owner, signals, async (options) => {
      return await this.#untilClosed(options?.signal, async (signal) => {
        return await container.get(Verify).execute({ ...options, signal }, this.#workers ?? NO_REPAIR)
      })
    })
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
      untilClosed: async (caller, work) => await this.#untilClosed(caller, work),
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

  async whenCleared(): ReturnType<Engine['whenCleared']> {
    return (await this.#workers?.whenCleared()) ?? 'done'
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close()
    await this.#closing
  }

  async #untilClosed<T>(caller: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new ClosedError('the engine')
    const abort = new AbortController()
    const working = withAnySignal([abort.signal, caller], work)
    this.#underWay.set(
      abort,
      working.catch(() => undefined),
    )
    try {
      return await working
    } finally {
      this.#underWay.delete(abort)
    }
  }

  async #close(): Promise<void> {
    for (const abort of this.#underWay.keys()) abort.abort(new ClosedError('the engine'))
    await Promise.all(this.#underWay.values())
    await this.#workers?.stop()
    await this.#container.get(AccessRecorder).flush()
    await closePorts(this.#ports)
  }
}

/** What reads comes before what is read from; each is closed, whatever becomes of the others. */
async function closePorts(options: EngineOptions): Promise<void> {
  const { textExtractor, embeddingModels, vectorIndex, lexicalIndex, mailer, httpTransport, storage } = options
  const failures: unknown[] = []
  for (const port of [textExtractor, ...embeddingModels, vectorIndex, lexicalIndex, mailer, httpTransport, storage]) {
    try {
      await port.close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
