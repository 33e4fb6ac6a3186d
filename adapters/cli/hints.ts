import type { CommandUnknownOpts } from '@commander-js/extra-typings'

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
]
/** A hint in a message. These other commands work on no data folder, or on one that they name themselves. */
const HINT = /"alcove (?!(?:help|backup|restore|migrate)\b)([^"]+)"/g

/** A process runs one command line. */
let given = ''

/** Forgets the options of the command line before, of a process that runs several. */
export function forgetHintOptions(): void {
  given = ''
}

/** Remembers the options that the user has typed, for {@link withGivenOptions}. */
export function rememberHintOptions(command: CommandUnknownOpts): void {
  const values = command.optsWithGlobals() as Readonly<Record<string, unknown>>
  const typed = OPTIONS.filter((name) => command.getOptionValueSourceWithGlobals(name) === 'cli')
  given = typed.map((name) => ` ${flagOf(name)} ${shown(String(values[name]))}`).join('')
}

/**
 * Adds the options that the user has typed to each hint of a message, so that a copied hint works on the same data.
 *
 * @param message such as `run "alcove init" first`
 * @returns such as `run "alcove init --data-dir ./other" first`
 */
export function withGivenOptions(message: string): string {
  return given === '' ? message : message.replaceAll(HINT, (_, hint: string) => `"alcove ${hint}${given}"`)
}

function flagOf(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** The value as a shell takes it. An address that may contain a secret is left for the user to fill in. */
function shown(value: string): string {
  if (/:\/\/[^/]*@|\?/.test(value)) return 'URL'
  return /^[\w./:@%+,=-]+$/.test(value) ? value : `'${value.replaceAll("'", String.raw`'\''`)}'`
}
