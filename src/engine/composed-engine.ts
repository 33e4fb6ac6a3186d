import type { RepairWorkers } from '../doctor/index.js'
import type { DocumentEvents } from '../documents/index.js'
import { ClosedError, NotInitializedError } from '../kernel/errors.js'
import { withAnySignal } from '../kernel/scheduling/abort.js'
import { checkSecretKey } from '../outbox/index.js'
import { type InitializeInput, type InitializeResult, type Principal, parsePrincipal } from '../tenancy/index.js'
import { wireParts } from './container.js'
import {
  type Authentication,
  checkHealth,
  createAuthentication,
  type Engine,
  type Health,
  type WarmUpOptions,
} from './engine.js'
import { EngineInspection } from './engine-inspection.js'
import type { EngineOptions } from './engine-options.js'
import type { EngineParts } from './engine-parts.js'
import { requireValid } from './engine-settings.js'
import { createHostAdministration, type HostAdministration } from './host-administration.js'
import { createMeasure } from './measure-engine.js'
import { createEventOperations, type EventOperations } from './operations/event-operations.js'
import { createSession, type Session } from './session.js'
import { Workers } from './workers.js'

/** Implements `createEngine`. */
export async function composeEngine(options: EngineOptions): Promise<Engine> {
  let workers: Workers | undefined
  try {
    requireValid(options)
    const parts = wireParts(options)
    await options.storage.open()
    await checkSecretKey(options.storage, parts.secretBox)
    const initialize = parts.initialize
    const isWorking = options.isWorking ?? true
    const owner =
      (await initialize.findOwner()) ?? (isWorking ? await initialize.ensureOwner(options.initial) : undefined)
    if (owner === undefined) throw new NotInitializedError('there is no company yet: run "alcove init" first')
    workers = isWorking ? new Workers(parts, options) : undefined
    await workers?.start()
    return new ComposedEngine(options, parts, owner, workers)
  } catch (error) {
    // The first error is the one to report, not an error of the cleanup.
    await workers?.stop().catch(() => undefined)
    await closePorts(options).catch(() => undefined)
    throw error
  }
}

const NO_REPAIR: RepairWorkers = {
  isIngesting: false,
  isSweeping: false,
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
  readonly #parts: EngineParts
  readonly #workers: Workers | undefined
  readonly #inspection: EngineInspection
  /**
   * Calls that the engine aborts when it closes. Each has its own controller, because Node warns about one signal with
   * many listeners.
   */
  readonly #runningCalls = new Map<AbortController, Promise<unknown>>()
  readonly #endObservation: (() => void) | undefined
  #closing: Promise<void> | undefined

  constructor(ports: EngineOptions, parts: EngineParts, owner: Principal, workers: Workers | undefined) {
    this.owner = owner
    this.#ports = ports
    this.#parts = parts
    this.#workers = workers
    const measure = createMeasure(parts, () => workers?.runningJobs() ?? new Map())
    this.#endObservation = parts.telemetry.observe?.(measure)
    const repairWorkers = workers ?? NO_REPAIR
    this.#inspection = new EngineInspection(parts, { measure, roles: workers?.roles ?? [], workers: repairWorkers })
    this.administration = createHostAdministration(parts, owner, workers, async (options) => {
      return await this.#runUntilClosed(options?.signal, async (signal) => {
        return await parts.verify.execute({ ...options, signal }, repairWorkers)
      })
    })
    this.authentication = createAuthentication(parts)
    this.events = createEventOperations(parts, workers)
  }

  as(principal: Principal): Session {
    if (this.#closing !== undefined) throw new ClosedError('the engine')
    return createSession(this.#parts, parsePrincipal(principal), {
      workers: this.#workers,
      inspection: this.#inspection,
      rootCompanyId: this.owner.companyId,
      runUntilClosed: async (signal, work) => await this.#runUntilClosed(signal, work),
    })
  }

  on<Name extends keyof DocumentEvents>(name: Name, listener: (event: DocumentEvents[Name]) => void): () => void {
    return this.#parts.documentEvents.on(name, listener)
  }

  async initialize(input?: InitializeInput): Promise<InitializeResult> {
    return await this.#parts.initialize.execute(input)
  }

  async warmUp({ models, signal }: WarmUpOptions = {}): Promise<void> {
    await this.#runUntilClosed(signal, async (abort) => {
      await this.#parts.embeddingModels.warmUp(models, abort)
    })
  }

  async health(): Promise<Health> {
    return await checkHealth(this.#parts)
  }

  async whenCleared(): ReturnType<Engine['whenCleared']> {
    return (await this.#workers?.whenCleared()) ?? 'done'
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close()
    await this.#closing
  }

  /** Runs work with a signal that is aborted when the caller aborts or the engine closes. */
  async #runUntilClosed<T>(
    callerSignal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.#closing !== undefined) throw new ClosedError('the engine')
    const closing = new AbortController()
    const result = withAnySignal([closing.signal, callerSignal], work)
    this.#runningCalls.set(
      closing,
      result.catch(() => undefined),
    )
    try {
      return await result
    } finally {
      this.#runningCalls.delete(closing)
    }
  }

  async #close(): Promise<void> {
    this.#endObservation?.()
    for (const closing of this.#runningCalls.keys()) closing.abort(new ClosedError('the engine'))
    await Promise.all(this.#runningCalls.values())
    this.#parts.watchDocuments.close()
    await this.#workers?.stop()
    await this.#parts.accessRecorder.flush()
    await closePorts(this.#ports)
  }
}

/** Closes consumers before their sources. Closes each port, even if another one fails. @throws the first error */
async function closePorts(options: EngineOptions): Promise<void> {
  const { textExtractor, embeddingModels, reranker, vectorIndex, lexicalIndex, mailer, httpTransport, storage } =
    options
  const models = [...embeddingModels, ...(reranker === undefined ? [] : [reranker])]
  const failures: unknown[] = []
  for (const port of [textExtractor, ...models, vectorIndex, lexicalIndex, mailer, httpTransport, storage]) {
    try {
      await port.close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
