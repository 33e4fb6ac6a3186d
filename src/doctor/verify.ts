import type { DamagedWords, EmbeddingModels } from '../documents/index.js'
import { InvalidInputError, ModelError, StorageError, UnsupportedError } from '../kernel/errors.js'
import { pause, untilAborted } from '../kernel/scheduling/abort.js'
import { refuseUnknownMembers } from '../kernel/validate.js'
import type { Storage, Telemetry } from '../ports/index.js'
import type { ContextCheck } from './context-check.js'
import {
  type Checked,
  type CheckRun,
  type Finding,
  forRemote,
  isLeftover,
  keyOf,
  type Notice,
  newCheckRun,
  type Problem,
  stillFound,
  toProblem,
  type VerifyOptions,
  type VerifyReport,
  versionIdOf,
  withoutRepair,
} from './finding.js'
import type { LeftoverCheck } from './leftover-check.js'
import type { Repair, RepairFailures, RepairWorkers } from './repair.js'

type SignalledOptions = VerifyOptions & { readonly signal: AbortSignal }
type ProgressOptions = Pick<SignalledOptions, 'signal' | 'onProgress'>

/** Compares rows, vectors, words, files and models with each other, and repairs what can be repaired. */
export class Verify {
  /** Resolves, without an error, once the repair that was requested last is finished. */
  #lastRepair: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly examination: Examination,
    private readonly repair: Repair,
  ) {}

  /**
   * Repairs take turns: the findings of one are out of date once another one has repaired them.
   *
   * @throws UnsupportedError if `repair` is true and the engine does not process documents, or has no files
   * @throws the signal's reason
   */
  async execute(options: SignalledOptions, workers: RepairWorkers): Promise<VerifyReport> {
    refuseUnknownMembers(options, ['repair', 'signal', 'onProgress'], 'option')
    const { repair = false, signal } = options
    if (typeof (repair as unknown) !== 'boolean') throw new InvalidInputError('repair', 'must be true or false')
    if (repair && !workers.isIngesting) {
      throw new UnsupportedError('this engine does not process documents: open it with the role "ingest" to repair')
    }
    await untilAborted(workers.whenSwept(), signal)
    if (!repair) return await this.#run(options, workers)
    const previousRepair = this.#lastRepair
    const repairing = untilAborted(previousRepair, signal).then(async () => await this.#run(options, workers))
    // Both: a caller that aborts its wait must not let the next caller overtake the previous repair.
    this.#lastRepair = Promise.allSettled([previousRepair, repairing])
    return await repairing
  }

  /** Checks without repairs, for readers who may not learn names of folders of the machine. @throws the signal's reason */
  async inspect(options: ProgressOptions, workers: RepairWorkers): Promise<VerifyReport> {
    await untilAborted(workers.whenSwept(), options.signal)
    const { findings, ...examined } = await this.#examine(options)
    return reportOf(examined, lasting(findings, workers).map(forRemote), () => false)
  }

  async #examine({ signal, onProgress = () => undefined }: ProgressOptions): ReturnType<Examination['run']> {
    const onDocuments = (documents: number): void => onProgress({ stage: 'checking', documents, total: null })
    const { findings, ...others } = await this.examination.run({ isThorough: true, signal, onDocuments })
    const isDamaged = findings.some(({ code }) => code === 'database-damaged')
    return { findings: isDamaged ? findings.map(withoutRepairOfDamagedDatabase) : findings, ...others }
  }

  async #run(
    { repair = false, signal, onProgress = () => undefined }: SignalledOptions,
    workers: RepairWorkers,
  ): Promise<VerifyReport> {
    const { findings, ...examined } = await this.#examine({ signal, onProgress })
    if (!repair) {
      return { ...reportOf(examined, findings, () => false), isHealthy: lasting(findings, workers).length === 0 }
    }
    const repairable = findings.filter(({ repairKind }) => repairKind !== undefined)
    if (repairable.length === 0) return reportOf(examined, findings, () => false)

    await workers.begin()
    const failures = await this.repair.run(repairable, workers, { signal, onProgress })
    const options = { isThorough: true, signal, onDocuments: () => undefined }
    const remaining = await this.examination.recheck(repairable, options)
    return reportOf(
      examined,
      findings.map((finding) => withFailure(finding, failures)),
      repairedTest(repairable, remaining, failures),
    )
  }
}

/** The findings that stay if nobody repairs them. After a sweep of the engine, that includes what a sweep mends. */
function lasting(findings: readonly Finding[], { isSweeping }: RepairWorkers): readonly Finding[] {
  return isSweeping ? findings : findings.filter((finding) => !isLeftover(finding))
}

function reportOf(
  { checked, notices }: Pick<VerifyReport, 'checked' | 'notices'>,
  findings: readonly Finding[],
  isRepaired: (finding: Finding) => boolean,
): VerifyReport {
  const problems = findings.map((finding): Problem => toProblem(finding, isRepaired(finding)))
  return { isHealthy: problems.every((problem) => problem.isRepaired), checked, problems, notices }
}

/** The finding without its repair: the engine writes nothing into a damaged database. */
function withoutRepairOfDamagedDatabase(finding: Finding): Finding {
  if (finding.repairKind === undefined) return finding
  return withoutRepair(finding, 'The database is damaged: restore a backup first.')
}

/** A test for a repaired finding. A finding that remains, or whose document or words failed, is not repaired. */
function repairedTest(
  repairable: readonly Finding[],
  remaining: readonly Finding[],
  failures: RepairFailures,
): (finding: Finding) => boolean {
  const repairableKeys = new Set(repairable.map(keyOf))
  const remainingKeys = new Set(remaining.map(keyOf))
  return (finding) => {
    const key = keyOf(finding)
    if (!repairableKeys.has(key) || remainingKeys.has(key) || isUnindexed(finding, failures)) return false
    return !failures.ofDocuments.has(versionIdOf(finding) ?? 0)
  }
}

/** The finding with the failure of its repair as advice, if its repair failed. */
function withFailure(finding: Finding, failures: RepairFailures): Finding {
  const error = failures.ofDocuments.get(versionIdOf(finding) ?? 0)
  if (error !== undefined) return withoutRepair(finding, `The second processing of the document failed: ${error}.`)
  return isUnindexed(finding, failures) ? withoutRepair(finding, UNINDEXED_ADVICE) : finding
}

const UNINDEXED_ADVICE =
  'The words could not be indexed now: check the disk, or the database. The engine retries in the background.'

const REPAIRED_BY_INDEXING: readonly string[] = [
  'words-missing',
  'words-surplus',
  'words-unreadable',
  'words-of-other-version',
]

/** True if the repair was to index words of the context, and failed. */
function isUnindexed({ code, subject }: Finding, { ofWords }: RepairFailures): boolean {
  return REPAIRED_BY_INDEXING.includes(code) && ofWords.has(subject.contextId ?? 0)
}

/**
 * Documents are uploaded and deleted while a check runs, so a finding may be a false alarm. A finding is reported only
 * if each of these further checks finds it too.
 */
const RECHECKS = 2
const RECHECK_PAUSE_MS = 150

/** The result of all checks. */
interface Examined {
  readonly findings: readonly Finding[]
  readonly checked: Checked
  readonly notices: readonly Notice[]
}

type ExaminationOptions = Pick<CheckRun, 'isThorough' | 'signal' | 'onDocuments'>

/** Runs all checks, and repeats them for what they found. */
export class Examination {
  constructor(
    private readonly foundation: FoundationCheck,
    private readonly contexts: ContextCheck,
    private readonly leftovers: LeftoverCheck,
  ) {}

  async run(options: ExaminationOptions): Promise<Examined> {
    const { findings, checked, notices } = await this.#check(newCheckRun(options))
    return { findings: await this.#confirm(findings, RECHECKS, options), checked, notices }
  }

  /** @returns the findings that still exist */
  async recheck(findings: readonly Finding[], options: ExaminationOptions): Promise<readonly Finding[]> {
    const { findings: now } = await this.#check(newCheckRun({ ...options, recheck: findings }))
    return await this.#confirm(stillFound(findings, now), RECHECKS, options)
  }

  async #confirm(
    findings: readonly Finding[],
    times: number,
    options: ExaminationOptions,
  ): Promise<readonly Finding[]> {
    if (findings.length === 0 || times === 0) return findings
    await pause(RECHECK_PAUSE_MS, options.signal)
    const { findings: now } = await this.#check(
      newCheckRun({ ...options, onDocuments: () => undefined, recheck: findings }),
    )
    return await this.#confirm(stillFound(findings, now), times - 1, options)
  }

  async #check(checkRun: CheckRun): Promise<CheckRun> {
    await this.foundation.run(checkRun)
    const isDamaged = checkRun.findings.some(({ code }) => code === 'database-damaged')
    try {
      await this.contexts.run(checkRun)
      await this.leftovers.run(checkRun)
    } catch (error) {
      // A damaged database ends the run early. The findings up to here count; the unread part has none.
      if (!(error instanceof StorageError) || (error.isTransient && !isDamaged)) throw error
      if (!isDamaged) checkRun.findings.push(databaseDamaged(`It cannot be read: ${error.message}`))
    }
    return checkRun
  }
}

/** The problems that this check finds. They do not change between two check runs. */
const FOUNDATION_CODES: ReadonlySet<string> = new Set(['database-damaged', 'model-unusable'])

/** Checks the foundation: the database itself, and the embedding models. The engine cannot repair these problems. */
export class FoundationCheck {
  constructor(
    private readonly storage: Storage,
    private readonly models: EmbeddingModels,
  ) {}

  async run(checkRun: CheckRun): Promise<void> {
    const { recheck, findings, isThorough } = checkRun
    if (recheck !== undefined) {
      findings.push(...recheck.filter(({ code }) => FOUNDATION_CODES.has(code)))
      return
    }
    await this.#checkDatabase(checkRun)
    if (isThorough) await this.#checkModels(checkRun)
  }

  async #checkDatabase({ findings, isThorough, signal }: CheckRun): Promise<void> {
    for (const sentence of await this.storage.verify({ isThorough, signal })) findings.push(databaseDamaged(sentence))
  }

  async #checkModels({ findings, checked, signal }: CheckRun): Promise<void> {
    for (const model of this.models.ids) {
      signal.throwIfAborted()
      checked.models += 1
      try {
        await this.models.get(model).verify()
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        const message = `Embedding model ${model} cannot be used: ${error.message} (${error.code}).`
        const remoteMessage = `Embedding model ${model} cannot be used (${error.code}): "alcove doctor" says why.`
        const advice = 'Restore the original files of the model, or reinstall the package.'
        findings.push({ code: 'model-unusable', subject: { model }, message, remoteMessage, advice })
      }
    }
  }
}

function databaseDamaged(sentence: string): Finding {
  const message = `The database is damaged: ${sentence.replace(/\.$/, '')}.`
  const advice = 'Restore a backup. Before that, copy the folder as it is, and change nothing in it.'
  return { code: 'database-damaged', subject: {}, message, advice }
}

/** The host's first calls, such as a search, come before the check. */
const DELAY_MS = 1_000
/** Problems that are reported one by one. Only the number of the others is reported. */
const MAX_REPORTED = 20
/** Problems that the report keeps. */
const MAX_KEPT = 1_000

/** A cheap verification after the start: it counts, and reads no bytes. Lost words are built again, as damaged ones. */
export class StartCheck {
  #report: VerifyReport | undefined
  #remoteReport: VerifyReport | undefined

  constructor(
    private readonly examination: Examination,
    private readonly damagedWords: DamagedWords,
    private readonly telemetry: Telemetry,
  ) {}

  /** The result; undefined until the check is finished. */
  get report(): VerifyReport | undefined {
    return this.#report
  }

  /** As {@link report}, without names. */
  get remoteReport(): VerifyReport | undefined {
    return this.#remoteReport
  }

  /** Never rejects. Stops soon after the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await pause(DELAY_MS, signal)
      const startedAt = performance.now()
      const onDocuments = (): void => undefined
      const { findings, checked, notices } = await this.examination.run({ isThorough: false, signal, onDocuments })
      const kept = findings.slice(0, MAX_KEPT)
      const keptNotices = notices.slice(0, MAX_KEPT)
      this.#report = reportOf({ checked, notices: keptNotices }, kept, () => false)
      this.#remoteReport = reportOf({ checked, notices: keptNotices }, kept.map(forRemote), () => false)
      for (const { code, subject } of findings.slice(0, MAX_REPORTED)) {
        this.telemetry.record({ name: 'doctor.found', level: 'warn', fields: { code, ...subject } })
      }
      const lost = findings.filter(({ code }) => code === 'words-missing').map(({ subject }) => subject.contextId)
      for (const id of new Set(lost)) if (id !== undefined) this.damagedWords.noteContext(id)
      const { contexts, documents, vectors } = checked
      this.telemetry.record({
        name: 'doctor.checked',
        level: findings.length === 0 ? 'info' : 'warn',
        fields: { problems: findings.length, contexts, documents, vectors },
        durationMs: performance.now() - startedAt,
      })
    } catch (error) {
      if (!signal.aborted) this.telemetry.record({ name: 'doctor.check.failed', level: 'error', error })
    }
  }
}
