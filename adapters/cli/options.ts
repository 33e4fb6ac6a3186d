import { type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { DEFAULT_LIMITS, type EngineLimits } from '../../src/index.js'

/**
 * An option that an environment variable can give too: `--chunk-size` is `ALCOVE_CHUNK_SIZE`.
 * A variable that is empty gives nothing.
 *
 * @param command where the option means something else than under the same name elsewhere: a part
 *   of the variable's name then, so that no variable means two things: `ALCOVE_INIT_COMPANY`
 */
export function option<Flags extends string>(flags: Flags, description: string, command?: string): Option<Flags> {
  const created = new Option(flags, description)
  const name = command === undefined ? created.name() : `${command}-${created.name()}`
  const variable = `ALCOVE_${name.replaceAll('-', '_').toUpperCase()}`
  return process.env[variable] === '' ? created : created.env(variable)
}

/** Where everything is. An empty path would mean the current folder. */
export function parseFolder(text: string): string {
  if (text.trim() !== '') return text
  throw new InvalidArgumentError('it must be the path of a folder.')
}

/** An empty path would mean the current folder, too. */
export function parseFile(text: string): string {
  if (text.trim() !== '') return text
  throw new InvalidArgumentError('it must be the path of a file.')
}

/** An id on the command line. */
export function parseId(text: string): number {
  const id = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(id) && id > 0) return id
  throw new InvalidArgumentError('it must be an id, a positive integer.')
}

export function parseNumber(text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isFinite(number)) return number
  throw new InvalidArgumentError('it must be a number.')
}

/** A list separated by commas. */
export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** An option that may be given several times, or once with commas. */
export function collect(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), ...parseList(text)]
}

/** A number of things. */
export function parseCount(text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count
  throw new InvalidArgumentError('it must be a positive integer.')
}

/** Limits of the engine by their names, such as `usersPerCompany=50000`; repeatable, or with commas. */
export function collectLimits(text: string, before: Partial<EngineLimits> | undefined): Partial<EngineLimits> {
  const given = parseList(text).map((item) => {
    const [name = '', number = '', ...more] = item.split('=').map((part) => part.trim())
    if (more.length > 0 || !/^\d+$/.test(number) || Number(number) < 1) {
      throw new InvalidArgumentError('each must be a name and a positive integer, such as usersPerCompany=50000.')
    }
    if (!(name in DEFAULT_LIMITS)) {
      throw new InvalidArgumentError(
        `there is no limit "${name}": there are ${Object.keys(DEFAULT_LIMITS).join(', ')}.`,
      )
    }
    return [name, Number(number)] as const
  })
  return { ...before, ...(Object.fromEntries(given) as Partial<EngineLimits>) }
}

/** What stands before a command on the line, or behind it. */
export interface GlobalOptions {
  readonly dataDir: string
  readonly json: boolean
  /** Whoever opens the database needs the key that its secrets are encrypted with. */
  readonly secretKeyFile?: string
  /** A PostgreSQL database in place of the one in the folder. */
  readonly databaseUrl?: string
  /** A bucket for the files, in place of the folder. */
  readonly filesUrl?: string
  /** What tenants may hold and do. */
  readonly limits?: Partial<EngineLimits>
}

/** The options that every command has. */
export function globalOptions(command: CommandUnknownOpts): GlobalOptions {
  const given = command.optsWithGlobals() as Partial<GlobalOptions>
  const { dataDir = './alcove-data', secretKeyFile, databaseUrl, filesUrl, limits } = given
  const json = isSwitchedOn(command, 'json')
  return {
    dataDir,
    json,
    ...(secretKeyFile !== undefined && { secretKeyFile }),
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(filesUrl !== undefined && { filesUrl }),
    ...(limits !== undefined && { limits }),
  }
}

/** Whether a switch is on: commander takes any value of its variable for that, `0` included. */
export function isSwitchedOn(command: CommandUnknownOpts, name: string): boolean {
  const { [name]: given } = command.optsWithGlobals() as Readonly<Record<string, unknown>>
  if (given === undefined || given === false) return false
  if (command.getOptionValueSourceWithGlobals(name) !== 'env') return true
  const variable = `ALCOVE_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`
  const value = process.env[variable]?.trim().toLowerCase() ?? ''
  if (['1', 'true', 'yes', 'on'].includes(value)) return true
  if (['', '0', 'false', 'no', 'off'].includes(value)) return false
  return command.error(`error: ${variable} must be 1 or 0`)
}
