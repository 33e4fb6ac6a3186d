import { Command, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'
import type { SearchMode } from '../../../src/index.js'
import { SEARCH_MODES } from '../../../src/ports/index.js'
import type { Evaluation, EvaluationPlan, EvaluationProgress } from '../../local/index.js'
import { findContext, loadLocal, ownerSession, withUnsweptEngine } from '../engines/engines.js'
import { collect, globalOptions, option, parseCount, parseFile, parseList, parseNumber } from '../options.js'
import { evaluationLines } from '../output/evaluation-table.js'
import { counted, oneLine, printResult, tell } from '../output/output.js'
import { ProgressBar } from '../output/progress-bar.js'

export function evaluateCommand(): CommandUnknownOpts {
  return new Command('evaluate')
    .description('compare what searches of a context find with other settings, on your own questions; changes nothing')
    .addOption(option('--context <context>', 'id or name').makeOptionMandatory())
    .addOption(
      option('--questions <file>', 'csv file with the columns question, document and, optionally, passage')
        .argParser(parseFile)
        .makeOptionMandatory(),
    )
    .addOption(option('--model <id>', 'embedding model to compare; repeatable', 'evaluate').argParser(collect))
    .addOption(
      option('--chunk-size <tokens>', 'most tokens in a chunk, to compare; repeatable', 'evaluate').argParser(
        collectNumbers,
      ),
    )
    .addOption(
      option(
        '--overlap <fraction>',
        'fraction that the next chunk repeats, to compare; repeatable',
        'evaluate',
      ).argParser(collectNumbers),
    )
    .addOption(
      option(
        '--mode <mode>',
        "way to find chunks, to compare; repeatable; default: the context's mode, or all modes if nothing else is compared",
        'evaluate',
      ).argParser(collectModes),
    )
    .addOption(
      option('--top-n <number>', "results of each search; default: the context's setting", 'evaluate').argParser(
        parseCount,
      ),
    )
    .action(async ({ context, questions: file, model, chunkSize, overlap, mode, topN }, command) => {
      const options = globalOptions(command)
      const { evaluateSettings, readQuestions } = await loadLocal()
      const questions = await readQuestions(file)
      const interrupted = new AbortController()
      const progress = new EvaluationView()
      let evaluation: Promise<Evaluation> | undefined
      await withUnsweptEngine(
        options,
        false,
        async (engine) => {
          const session = ownerSession(engine)
          const { id } = await findContext(session, context)
          evaluation = evaluateSettings(session, id, questions, {
            embeddingModels: model,
            chunkSizesTokens: chunkSize,
            overlaps: overlap,
            modes: mode,
            topN,
            engine: options,
            onStart: (plan) => progress.start(plan),
            onProgress: (each) => progress.show(each),
            signal: interrupted.signal,
          })
          const result = await evaluation.finally(() => progress.stop())
          printResult(options, result, evaluationLines(result))
        },
        async () => {
          interrupted.abort()
          // The copies are removed before the process ends.
          await evaluation?.catch(() => undefined)
        },
      )
    })
}

function collectNumbers(text: string, previous: number[] | undefined): number[] {
  return [...(previous ?? []), ...parseList(text).map(parseNumber)]
}

function collectModes(text: string, previous: SearchMode[] | undefined): SearchMode[] {
  const modes = parseList(text).map((name) => {
    const mode = SEARCH_MODES.find((known) => known === name)
    if (mode === undefined) throw new InvalidArgumentError(`Expected one of ${SEARCH_MODES.join(', ')}.`)
    return mode
  })
  return [...(previous ?? []), ...modes]
}

/** Shows on stderr how far an evaluation is: a bar on a terminal, and a line for each work that begins. */
class EvaluationView {
  readonly #bar = new ProgressBar('{bar} {value}/{total}')
  #work = ''

  start(plan: EvaluationPlan): void {
    for (const line of planLines(plan)) tell(line)
  }

  show({ settings, work, done, total }: EvaluationProgress): void {
    const { mode, embeddingModel, chunkSizeTokens, overlap } = settings
    const copy = `${embeddingModel}, ${chunkSizeTokens} tokens, overlap ${overlap}`
    const name = work === 'documents' ? `copying documents: ${copy}` : `asking questions: ${mode}, ${copy}`
    if (name !== this.#work) {
      this.stop()
      this.#work = name
      tell(name)
    }
    this.#bar.show(done, total)
  }

  stop(): void {
    this.#bar.stop()
  }
}

function planLines({
  documents,
  leftOut,
  questions,
  settings,
  copies,
  neededBytes,
  freeBytes,
}: EvaluationPlan): string[] {
  const measured = `${counted(questions, 'question')} about ${counted(documents, 'document')}, ${counted(settings, 'setting')}`
  const space =
    freeBytes === null
      ? []
      : [
          `${counted(copies, 'copy', 'copies')} of the documents, one after the other: about ${megabytes(neededBytes)} MB of disk are needed, ${megabytes(freeBytes)} MB are free`,
        ]
  const others =
    leftOut === 0 ? [] : [`left out: ${counted(leftOut, 'document')} that are not processed or have failed`]
  return [measured, ...space, ...others].map(oneLine)
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000)
}
