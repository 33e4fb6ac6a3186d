import type { Telemetry } from '../../src/ports/index.js'
import { type CallFailure, describeFailure } from './call-failure.js'

/** A call of a client, for the log. */
interface CallFacts {
  /** Fields of the event: never arguments. */
  readonly fields: Readonly<Record<string, string>>
  /** Aborted when the client no longer waits for the answer. */
  readonly signal: AbortSignal
}

/** Records calls of clients. */
export class CallLog {
  readonly #telemetry: Telemetry | undefined

  constructor(telemetry: Telemetry | undefined) {
    this.#telemetry = telemetry
  }

  /**
   * Runs a call and records its outcome.
   *
   * @param onFailure makes the answer, or the error, of a failed call
   */
  async watch<T>(
    { fields, signal }: CallFacts,
    call: () => Promise<T>,
    onFailure: (failure: CallFailure, error: unknown) => Promise<T> | T,
  ): Promise<T> {
    const startedAt = performance.now()
    const record = (level: 'info' | 'warn' | 'error', code: string | null, error?: unknown): void => {
      const durationMs = performance.now() - startedAt
      const cause = error === undefined ? {} : { error }
      this.#telemetry?.record({ name: 'mcp.call', level, fields: { ...fields, code }, durationMs, ...cause })
    }
    try {
      const answer = await call()
      record('info', null)
      return answer
    } catch (error) {
      const failure = describeFailure(error)
      if (signal.aborted) record('info', 'ERR_REQUEST_ABORTED')
      else if (failure.isInternal) record('error', failure.code, error)
      else record('warn', failure.code)
      return await onFailure(failure, error)
    }
  }
}
