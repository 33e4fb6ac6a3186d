import { pause } from '../kernel/abort.js'
import type { Telemetry } from '../ports/index.js'
import { toProblem, type VerifyReport } from './finding.js'
import type { Examination } from './verify.js'

/** The host's first calls, such as a search, come before the check. */
const DELAY_MS = 1_000
/** Problems that are reported one by one. Only the number of the others is reported. */
const MAX_REPORTED = 20
/** Problems that the report keeps. */
const MAX_KEPT = 1_000

/** A cheap verification after the start: it counts, reads no bytes, and changes nothing. */
export class StartCheck {
  readonly #examination: Examination
  readonly #telemetry: Telemetry
  #report: VerifyReport | undefined

  constructor(examination: Examination, telemetry: Telemetry) {
    this.#examination = examination
    this.#telemetry = telemetry
  }

  /** The result; undefined until the check is finished. */
  get report(): VerifyReport | undefined {
    return this.#report
  }

  /** Never rejects. Stops soon after the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await pause(DELAY_MS, signal)
      const startedAt = performance.now()
      const onDocuments = (): void => undefined
      const { findings, checked } = await this.#examination.run({ isThorough: false, signal, onDocuments })
      const problems = findings.slice(0, MAX_KEPT).map((finding) => toProblem(finding, false))
      this.#report = { isHealthy: findings.length === 0, checked, problems }
      for (const { code, subject } of findings.slice(0, MAX_REPORTED)) {
        this.#telemetry.record({ name: 'doctor.found', level: 'warn', fields: { code, ...subject } })
      }
      const { contexts, documents, vectors } = checked
      this.#telemetry.record({
        name: 'doctor.checked',
        level: findings.length === 0 ? 'info' : 'warn',
        fields: { problems: findings.length, contexts, documents, vectors },
        durationMs: performance.now() - startedAt,
      })
    } catch (error) {
      if (!signal.aborted) this.#telemetry.record({ name: 'doctor.check.failed', level: 'error', error })
    }
  }
}
