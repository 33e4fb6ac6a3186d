import { errorReason } from '../../kernel/errors.js'
import { MULTILINGUAL_MODEL } from '../../ports/index.js'
import type { DocumentWarning } from '../pipeline/run-report.js'

let names: Intl.DisplayNames | undefined

/** The English name of a language, such as `Finnish`. */
export function nameOfLanguage(code: string): string {
  names ??= new Intl.DisplayNames('en', { type: 'language' })
  return names.of(code) ?? code
}

/** The warning in the receipt of a document. */
export function unknownLanguageWarning(language: string, model: string): DocumentWarning {
  const message =
    `the text is ${nameOfLanguage(language)}, which the model ${model} does not know: it is found by words alone. ` +
    `A multilingual model such as ${MULTILINGUAL_MODEL.id} finds it by meaning too`
  return { message, reason: errorReason('language-unknown-to-model', { language, model }) }
}

/** The documents of a context, and the cost of their vectors. */
interface EmbeddedDocuments {
  readonly contextId: number
  readonly windows: number
  readonly embedMs: number
}

/** The commands that give a context a model of many languages, and what they cost. One sentence each. */
export function multilingualAdvice({ contextId, windows, embedMs }: EmbeddedDocuments): string {
  const { id, sizeMb } = MULTILINGUAL_MODEL
  return (
    `Run "alcove model download ${id}" (${sizeMb} MB), start the server again, then run ` +
    `"alcove reindex ${contextId} --model ${id}": ` +
    `it embeds ${windows.toLocaleString('en-US')} windows, for which the present model took ${durationOf(embedMs)}. ` +
    `"alcove model check ${id}" says how many windows it does in a second.`
  )
}

function durationOf(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
}
