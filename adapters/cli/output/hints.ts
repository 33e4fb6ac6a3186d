import { currentCommand, flagOf } from '../current-command.js'

/** The options that say which data a command works on. A variable of the environment holds for the next command too. */
const OPTIONS = [
  'dataDir',
  'databaseUrl',
  'filesUrl',
  'secretKeyFile',
  'embeddingUrl',
  'embeddingModel',
  'embeddingId',
  'embeddingKeyFile',
  'embeddingDimensions',
  'embeddingWindow',
  'embeddingQueryPrefix',
  'embeddingPassagePrefix',
  'embeddingQueryBody',
  'embeddingPassageBody',
  'rerankerUrl',
  'rerankerModel',
  'rerankerKeyFile',
  'ocr',
]
/** A hint in a message. These other commands work on no data folder, or on one that they name themselves. */
const HINT = /"alcove (?!(?:help|backup|restore|migrate)\b|init" first)([^"]+)"/g
/** The hint for a folder without data. Its words are fixed. */
const INIT_FIRST = 'run "alcove init" first'

/**
 * Adds the options that the user has typed to each hint of a message, so that a copied hint works on the same data.
 *
 * @param message such as `"alcove context list" lists all`
 * @returns such as `"alcove context list --data-dir ./other" lists all`
 */
export function withGivenOptions(message: string): string {
  if (!message.includes('"alcove ')) return message
  const given = givenOptions()
  const first = given === '' ? INIT_FIRST : `with${given}, ${INIT_FIRST}`
  return message
    .replace(INIT_FIRST, () => first)
    .replaceAll(HINT, (whole, hint: string) =>
      // It names other data than the command works on.
      hint.includes(' --data-dir ') ? whole : `"alcove ${hint}${given}"`,
    )
}

function givenOptions(): string {
  const command = currentCommand()
  const values = (command?.optsWithGlobals() ?? {}) as Readonly<Record<string, unknown>>
  // Its errors are about the folder that it copies.
  if (command?.name() === 'migrate') return ` --data-dir ${shellWord(String(values['from']))}`
  const typed = OPTIONS.filter((name) => command?.getOptionValueSourceWithGlobals(name) === 'cli')
  return typed.map((name) => ` ${flagOf(name)} ${shellWord(String(values[name]))}`).join('')
}

/** The value as a shell takes it. An address that may contain a secret is left for the user to fill in. */
export function shellWord(value: string): string {
  // A secret may contain any character, also those that end the host of a valid address.
  if (value.includes('://') && /[@?]/.test(value)) return 'URL'
  return /^[\w./:@%+,=-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`
}
