import type { RepairWorkers, VerifyOptions, VerifyReport } from '../doctor/index.js'
import { ThrottledError } from '../kernel/errors.js'
import type { Measure } from '../ports/index.js'
import type { EngineRole } from './engine-options.js'
import type { EngineParts } from './engine-parts.js'
import { createStateReader, type EngineState, type RunningVerification } from './engine-state.js'

/** A verification may take minutes. */
const RETRY_AFTER_SECONDS = 60

interface InspectedEngine {
  readonly measure: Measure
  readonly roles: readonly EngineRole[]
  readonly workers: RepairWorkers
}

/** Looks at one engine, for those who operate it. It changes nothing. */
export class EngineInspection {
  readonly #started: string
  readonly #startedAt = performance.now()
  readonly #readMeasured: ReturnType<typeof createStateReader>
  #verification: RunningVerification | undefined

  constructor(
    private readonly parts: EngineParts,
    private readonly engine: InspectedEngine,
  ) {
    this.#started = parts.clock.now().toISOString()
    this.#readMeasured = createStateReader(parts, engine.measure)
  }

  /** @throws StorageError if the database cannot be read */
  async state(): Promise<EngineState> {
    return {
      started: this.#started,
      uptimeSeconds: Math.round((performance.now() - this.#startedAt) / 1_000),
      roles: this.engine.roles,
      mails: this.parts.mailer.keepsMails === true ? 'kept' : 'sent',
      ...(await this.#readMeasured()),
      startCheck: this.parts.startCheck.remoteReport ?? null,
      verification: this.#verification ?? null,
    }
  }

  /**
   * Runs the doctor without repairs; one run at a time.
   *
   * @throws ThrottledError while another run of this engine is in progress
   * @throws the signal's reason
   */
  async verify(signal: AbortSignal, onProgress?: VerifyOptions['onProgress']): Promise<VerifyReport> {
    if (this.#verification !== undefined) {
      throw new ThrottledError(
        'a verification runs in this process already: wait for its end, or end the request that started it',
        RETRY_AFTER_SECONDS,
      )
    }
    const started = this.parts.clock.now().toISOString()
    this.#verification = { started, documents: 0 }
    try {
      const noteProgress: VerifyOptions['onProgress'] = (progress) => {
        this.#verification = { started, documents: progress.documents }
        onProgress?.(progress)
      }
      return await this.parts.verify.inspect({ signal, onProgress: noteProgress }, this.engine.workers)
    } finally {
      this.#verification = undefined
    }
  }
}
