import { pause } from '../kernel/abort.js'
import type { Telemetry } from '../ports/index.js'
import { toProblem, type VerifyReport } from './finding.js'
import type { Examination } from './verify.js'

/** What a host does first, such as a search, comes before. */
const DELAY_MS = 1_000
/** Problems that are told one by one; of the others only their number. */
const MOST_TOLD = 20
/** Problems that are kept for whoever asks. */
const MOST_KEPT = 1_000

/** The cheap form of a verification, some time after the start: it counts, reads no bytes, and changes nothing. */
export class StartCheck {
  readonly #examination: Examination
  readonly #telemetry: Telemetry
  #report: VerifyReport | undefined

  constructor(examination: Examination, telemetry: Telemetry) {
    this.#examination = examination
    this.#telemetry = telemetry
  }

  /** What it has found; undefined until it has ended. */
  get report(): VerifyReport | undefined {
    return this.#report
  }

  /** Never rejects. Ends soon once the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await pause(DELAY_MS, signal)
      const began = performance.now()
      const onDocuments = (): void => undefined
      const { findings, checked } = await this.#examination.run({ isThorough: false, signal, onDocuments })
      const problems = findings.slice(0, MOST_KEPT).map((finding) => toProblem(finding, false))
      this.#report = { isHealthy: findings.length === 0, checked, problems }
      for (const { code, subject } of findings.slice(0, MOST_TOLD)) {
        this.#telemetry.record({ name: 'doctor.found', level: 'warn', fields: { code, ...subject } })
      }
      const { contexts, documents, vectors } = checked
      this.#telemetry.record({
        name: 'doctor.checked',
        level: findings.length === 0 ? 'info' : 'warn',
        fields: { problems: findings.length, contexts, documents, vectors },
        durationMs: performance.now() - began,
      })
    } catch (error) {
      if (!signal.aborted) this.#telemetry.record({ name: 'doctor.check.failed', level: 'error', error })
    }
  }
}
