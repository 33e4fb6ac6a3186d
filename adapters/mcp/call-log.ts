import type { CallFailure, Telemetry } from '../../src/ports/index.js'
import { describeCallFailure } from './protocol-failure.js'

/** A call of a client, for the log. */
interface CallFacts {
  /** Fields of the event: never arguments. */
  readonly fields: Readonly<Record<string, string>>
  /** Aborted when the client no longer waits for the answer. */
  readonly signal: AbortSignal
}

/** Records calls of clients. */
export class CallLog {
  constructor(private readonly telemetry: Telemetry | undefined) {}

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
    try {
      const answer = await call()
      const durationMs = performance.now() - startedAt
      this.telemetry?.record({ name: 'mcp.call', level: 'info', fields: { ...fields, code: null }, durationMs })
      return answer
    } catch (error) {
      const failure = describeCallFailure(error)
      const { isInternal } = failure
      const code = signal.aborted ? 'ERR_REQUEST_ABORTED' : failure.code
      const level = signal.aborted ? 'info' : isInternal ? 'error' : 'warn'
      const durationMs = performance.now() - startedAt
      // The message of a refusal may contain arguments.
      const cause = isInternal && !signal.aborted ? error : undefined
      this.telemetry?.record({ name: 'mcp.call', level, fields: { ...fields, code }, durationMs, error: cause })
      return await onFailure(failure, error)
    }
  }
}
