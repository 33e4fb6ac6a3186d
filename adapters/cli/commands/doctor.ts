import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { isLeftover, type Notice, type Problem, type VerifyProgress, type VerifyReport } from '../../../src/index.js'
import { withUnsweptEngine } from '../engines/engines.js'
import { globalOptions, isSwitchedOn, option } from '../options.js'
import { counted, printResult } from '../output/output.js'

export function doctorCommand(): CommandUnknownOpts {
  return new Command('doctor')
    .description('check that rows, vectors, words, files and models agree; without --repair it changes nothing')
    .addOption(
      option('--repair', 'repair problems from the uploaded files or from the chunks, and wait until that is done'),
    )
    .action(async (_given, command) => {
      const options = globalOptions(command)
      const repair = isSwitchedOn(command, 'repair')
      const progress = new DoctorProgress()
      const report = await withUnsweptEngine(
        options,
        repair,
        async (engine) => await engine.administration.verify({ repair, onProgress: (state) => progress.show(state) }),
        () => progress.stop(),
      ).finally(() => progress.stop())
      // No engine has swept the folder, so the next start mends what a killed process left.
      const shown = repair ? report : { ...report, problems: report.problems.filter((one) => !isLeftover(one)) }
      printResult(options, shown, sentences(shown, repair))
      if (!report.isHealthy) process.exitCode = 1
    })
}

function sentences({ problems, notices, checked }: VerifyReport, isRepair: boolean): string[] {
  const remarks = notices.flatMap(remark)
  if (problems.length === 0) return [...remarks, `No problems found in ${counted(checked.documents, 'document')}.`]
  const repairable = problems.filter((problem) => problem.isRepairable && !problem.isRepaired).length
  const hint = repairable > 0 && !isRepair ? [`"alcove doctor --repair" can repair ${repairable} of them.`] : []
  const repaired = problems.filter((problem) => problem.isRepaired).length
  return [
    ...problems.flatMap(describe),
    ...remarks,
    ...hint,
    `${counted(problems.length, 'problem')}, ${repaired} repaired`,
  ]
}

function remark({ code, message, advice }: Notice): string[] {
  return [`note: ${code}: ${message}`, `  ${advice}`]
}

function describe({ code, message, repair, isRepaired }: Problem): string[] {
  return isRepaired ? [`${code}: ${message} Repaired.`] : [`${code}: ${message}`, `  ${repair}`]
}

/** The least time between two updates. More frequent updates cannot be read. */
const EVERY_MS = 100

/** Shows the progress of a verification on one line of a terminal. Clears the line at the end. */
class DoctorProgress {
  #shownAt = -Infinity

  show({ stage, documents, total }: VerifyProgress): void {
    const now = performance.now()
    if (!process.stderr.isTTY || now - this.#shownAt < EVERY_MS) return
    this.#shownAt = now
    const state = stage === 'checking' ? 'documents checked' : `of ${total ?? 0} documents processed again`
    process.stderr.write(`\r\u001b[K${documents} ${state}`)
  }

  stop(): void {
    if (this.#shownAt === -Infinity) return
    process.stderr.write('\r\u001b[K')
    this.#shownAt = -Infinity
  }
}
