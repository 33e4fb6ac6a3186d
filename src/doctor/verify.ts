import { pause, untilAborted } from '../kernel/abort.js'
import { InvalidInputError, StorageError, UnsupportedError } from '../kernel/errors.js'
import type { ContextCheck } from './context-check.js'
import {
  type Checked,
  type Finding,
  keyOf,
  type Look,
  newLook,
  type Problem,
  stillFound,
  toProblem,
  type VerifyOptions,
  type VerifyReport,
} from './finding.js'
import { databaseDamaged, type FoundationCheck } from './foundation-check.js'
import type { LeftoverCheck } from './leftover-check.js'
import type { Repair, RepairFailures, RepairWorkers } from './repair.js'

/** Compares rows, vectors, words, files and models with each other, and mends what can be mended. */
export class Verify {
  readonly #examination: Examination
  readonly #repair: Repair
  /** Ends, without an error, with the last repair that was asked for. */
  #lastRepair: Promise<unknown> = Promise.resolve()

  constructor(examination: Examination, repair: Repair) {
    this.#examination = examination
    this.#repair = repair
  }

  /**
   * Repairs one at a time: what another one has found is out of date once this one has mended it.
   *
   * @throws UnsupportedError where an engine is to repair that does not process documents, or has no files at hand
   * @throws the signal's reason
   */
  async execute(
    options: VerifyOptions & { readonly signal: AbortSignal },
    workers: RepairWorkers,
  ): Promise<VerifyReport> {
    const { repair = false, signal } = options
    if (typeof (repair as unknown) !== 'boolean') throw new InvalidInputError('repair', 'must be true or false')
    if (repair && !workers.isIngesting) {
      throw new UnsupportedError('this engine does not process documents: open it with the role "ingest" to repair')
    }
    await untilAborted(workers.whenSwept(), signal)
    if (!repair) return await this.#run(options, workers)
    const turn = this.#lastRepair
    const repairing = untilAborted(turn, signal).then(async () => await this.#run(options, workers))
    // Who gives up waiting does not let the next one pass those before it.
    this.#lastRepair = Promise.allSettled([turn, repairing])
    return await repairing
  }

  async #run(
    { repair = false, signal, onProgress = () => undefined }: VerifyOptions & { readonly signal: AbortSignal },
    workers: RepairWorkers,
  ): Promise<VerifyReport> {
    const look = { isThorough: true, signal }
    const onDocuments = (documents: number): void => onProgress({ stage: 'checking', documents, total: null })
    const { findings, checked } = await this.#examination.run({ ...look, onDocuments })
    if (findings.some(({ code }) => code === 'database-damaged')) {
      return reportOf(checked, findings.map(withheld), () => false)
    }
    const mendable = findings.filter(({ mend }) => mend !== undefined)
    if (!repair || mendable.length === 0) return reportOf(checked, findings, () => false)

    await workers.begin()
    const failures = await this.#repair.run(mendable, workers, { signal, onProgress })
    const left = await this.#examination.again(mendable, { ...look, onDocuments: () => undefined })
    return reportOf(
      checked,
      findings.map((finding) => withFailure(finding, failures)),
      isMended(mendable, left, failures),
    )
  }
}

function reportOf(
  checked: VerifyReport['checked'],
  findings: readonly Finding[],
  isRepaired: (finding: Finding) => boolean,
): VerifyReport {
  const problems = findings.map((finding): Problem => toProblem(finding, isRepaired(finding)))
  return { isHealthy: problems.every((problem) => problem.isRepaired), checked, problems }
}

/** What was found again is not mended, and nor is a document that has failed instead. */
function isMended(
  mended: readonly Finding[],
  left: readonly Finding[],
  failures: RepairFailures,
): (finding: Finding) => boolean {
  const tried = new Set(mended.map(keyOf))
  const leftKeys = new Set(left.map(keyOf))
  return (finding) => {
    const key = keyOf(finding)
    if (!tried.has(key) || leftKeys.has(key) || isUnindexed(finding, failures)) return false
    return !failures.ofDocuments.has(finding.subject.documentId ?? 0)
  }
}

/** Nothing is written into a database that is damaged. */
function withheld(finding: Finding): Finding {
  const { mend, ...told } = finding
  return mend === undefined ? finding : { ...told, advice: 'The database is damaged: restore a backup first.' }
}

function withFailure(finding: Finding, failures: RepairFailures): Finding {
  const error = failures.ofDocuments.get(finding.subject.documentId ?? 0)
  const { mend: _, ...told } = finding
  if (error !== undefined) return { ...told, advice: `It was processed again, and failed: ${error}.` }
  return isUnindexed(finding, failures) ? { ...told, advice: UNINDEXED } : finding
}

const UNINDEXED =
  'The words could not be indexed now: look after the disk, or the database; the engine tries again in the background.'

const OF_INDEXING: readonly string[] = ['words-missing', 'words-surplus', 'words-unreadable', 'words-of-other-version']

/** Whether words were to be indexed again, and were not. */
function isUnindexed({ code, subject }: Finding, { ofWords }: RepairFailures): boolean {
  return OF_INDEXING.includes(code) && ofWords.has(subject.contextId ?? 0)
}

/** Documents come and go meanwhile: what looks wrong is looked at so often again before it is told. */
const SECOND_LOOKS = 2
const BETWEEN_LOOKS_MS = 150

type ExaminationOptions = Pick<Look, 'isThorough' | 'signal' | 'onDocuments'>

/** Looks at everything, and again at what seems to be wrong. */
export class Examination {
  readonly #foundation: FoundationCheck
  readonly #contexts: ContextCheck
  readonly #leftovers: LeftoverCheck

  constructor(foundation: FoundationCheck, contexts: ContextCheck, leftovers: LeftoverCheck) {
    this.#foundation = foundation
    this.#contexts = contexts
    this.#leftovers = leftovers
  }

  async run(
    options: ExaminationOptions,
  ): Promise<{ readonly findings: readonly Finding[]; readonly checked: Checked }> {
    const { found, checked } = await this.#look(newLook(options))
    return { findings: await this.#lookAgain(found, SECOND_LOOKS, options), checked }
  }

  /** Which of the findings are there still. */
  async again(findings: readonly Finding[], options: ExaminationOptions): Promise<readonly Finding[]> {
    const { found } = await this.#look(newLook({ ...options, only: findings }))
    return await this.#lookAgain(stillFound(findings, found), SECOND_LOOKS, options)
  }

  async #lookAgain(
    findings: readonly Finding[],
    times: number,
    options: ExaminationOptions,
  ): Promise<readonly Finding[]> {
    if (findings.length === 0 || times === 0) return findings
    await pause(BETWEEN_LOOKS_MS, options.signal)
    const { found } = await this.#look(newLook({ ...options, onDocuments: () => undefined, only: findings }))
    return await this.#lookAgain(stillFound(findings, found), times - 1, options)
  }

  async #look(look: Look): Promise<Look> {
    await this.#foundation.run(look)
    const isDamaged = look.found.some(({ code }) => code === 'database-damaged')
    try {
      await this.#contexts.run(look)
      await this.#leftovers.run(look)
    } catch (error) {
      // As far as it goes: what cannot be read is not known to be wrong.
      if (!(error instanceof StorageError) || (error.isTransient && !isDamaged)) throw error
      if (!isDamaged) look.found.push(databaseDamaged(`It cannot be read: ${error.message}`))
    }
    return look
  }
}
