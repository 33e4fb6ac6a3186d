import { MULTILINGUAL_MODEL } from './multilingual-model.js'

let names: Intl.DisplayNames | undefined

/** The English name of a language, such as `Finnish`. */
export function nameOfLanguage(code: string): string {
  names ??= new Intl.DisplayNames('en', { type: 'language' })
  return names.of(code) ?? code
}

/** The documents of a context, and the cost of their vectors. */
interface EmbeddedDocuments {
  readonly contextId: number
  readonly windows: number
  readonly embedMs: number
}

/** The way to a model of many languages. */
interface MultilingualAdvice {
  /** The commands with what they cost, in sentences. */
  readonly advice: string
  readonly commands: readonly string[]
  readonly downloadMb: number
}

export function multilingualAdvice({ contextId, windows, embedMs }: EmbeddedDocuments): MultilingualAdvice {
  const { id, sizeMb } = MULTILINGUAL_MODEL
  const download = `alcove model download ${id}`
  const reindex = `alcove reindex ${contextId} --model ${id}`
  const advice =
    `Run "${download}" (${sizeMb} MB), start the server again, then run "${reindex}": ` +
    `it embeds ${windows.toLocaleString('en-US')} windows, for which the present model took ${durationOf(embedMs)}. ` +
    `"alcove model check ${id}" says how many windows it does in a second.`
  return { advice, commands: [download, reindex], downloadMb: sizeMb }
}

function durationOf(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
}
