import { type CommandUnknownOpts, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { DEFAULT_LIMITS, type EngineLimits, InvalidInputError, type MailSettings } from '../../src/index.js'
import type { Mailer } from '../../src/ports/index.js'
import type { HttpRerankerOptions } from '../http-reranker/index.js'
import { HttpsTransport } from '../https-transport/index.js'
import { SmtpMailer } from '../mail/index.js'
import { checkPublicUrl } from '../node-kit/index.js'
import type { OpenAiModelOptions } from '../openai/index.js'
import { remoteModelsOf } from './engines/remote-model.js'
import { remoteRerankerOf } from './engines/remote-reranker.js'

/**
 * Creates an option that an environment variable can set too: `ALCOVE_CHUNK_SIZE` sets `--chunk-size`.
 * An empty variable sets nothing.
 *
 * @param command a part of the variable's name, such as in `ALCOVE_INIT_COMPANY`. Needed if another command has an
 *   option of this name with another meaning, so that no variable means two things
 */
export function option<Flags extends string>(flags: Flags, description: string, command?: string): Option<Flags> {
  const created = new Option(flags, description)
  const name = command === undefined ? created.name() : `${command}-${created.name()}`
  const variable = `ALCOVE_${name.replaceAll('-', '_').toUpperCase()}`
  return process.env[variable] === '' ? created : created.env(variable)
}

/** @throws InvalidArgumentError for an empty path: it would mean the current folder */
export function parseFolder(text: string): string {
  if (text.trim() !== '') return text
  throw new InvalidArgumentError('Expected the path of a folder.')
}

/** @throws InvalidArgumentError for an empty path: it would mean the current folder */
export function parseFile(text: string): string {
  if (text.trim() !== '') return text
  throw new InvalidArgumentError('Expected the path of a file.')
}

export function parseId(text: string): number {
  const id = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(id) && id > 0) return id
  throw new InvalidArgumentError('Expected an id, a positive integer.')
}

export function parseCount(text: string): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count
  throw new InvalidArgumentError('Expected a positive integer.')
}

export function parseNumber(text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && Number.isFinite(number)) return number
  throw new InvalidArgumentError('Expected a number.')
}

/** Parses a filter as JSON. The engine checks the value. */
export function parseFilter(text: string): Readonly<Record<string, never>> {
  return parseObject(text, '{"metadata":{"year":2026}}')
}

/** Parses metadata as JSON. The engine checks the value. */
export function parseMetadata(text: string): Readonly<Record<string, never>> {
  return parseObject(text, '{"year":2026}')
}

function parseObject(text: string, example: string): Readonly<Record<string, never>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, never>>
  } catch {
    // The message below tells the user what to do.
  }
  throw new InvalidArgumentError(`Expected an object as JSON, such as ${example}.`)
}

/** As {@link parseMetadata}, for an option that may be null. In an object, because Commander keeps no null. */
export function parseMetadataOrNull(text: string): { readonly value: Readonly<Record<string, never>> | null } {
  return { value: text.trim() === 'null' ? null : parseMetadata(text) }
}

/** Parses a list separated by commas. */
export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** Parses an option that may be given several times, or once with commas. */
export function collect(text: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), ...parseList(text)]
}

/** Parses an option that may be given several times. A value may contain commas. */
export function collectEach(text: string, previous: string[] | undefined): string[] {
  return [...(previous ?? []), text]
}

/** Parses an option that may be given several times. The commas of a glob such as `*.{md,txt}` stay. */
export function collectGlobs(text: string, previous: string[] | undefined): string[] {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a glob, such as "handbook/**".')
  return [...(previous ?? []), text]
}

/** Parses limits of the engine, such as `usersPerCompany=50000`; several times, or once with commas. */
export function collectLimits(text: string, previous: Partial<EngineLimits> | undefined): Partial<EngineLimits> {
  const limits = parseList(text).map((item) => {
    const [name = '', number = '', ...more] = item.split('=').map((part) => part.trim())
    if (more.length > 0 || !/^\d+$/.test(number) || Number(number) < 1) {
      throw new InvalidArgumentError('Expected a name and a positive integer, such as usersPerCompany=50000.')
    }
    if (!(name in DEFAULT_LIMITS)) {
      throw new InvalidArgumentError(
        `Unknown limit "${name}"; expected one of ${Object.keys(DEFAULT_LIMITS).join(', ')}.`,
      )
    }
    return [name, Number(number)] as const
  })
  return { ...previous, ...(Object.fromEntries(limits) as Partial<EngineLimits>) }
}

/** The values of the options that stand before or behind any command. */
export interface GlobalOptions {
  readonly dataDir: string
  /** The folder for temporary files. */
  readonly tempDir?: string
  readonly json: boolean
  /** The file of the key that encrypts the secrets in the database. */
  readonly secretKeyFile?: string
  /** A PostgreSQL database instead of the one in the data folder. */
  readonly databaseUrl?: string
  /** A bucket for the files instead of the data folder. */
  readonly filesUrl?: string
  readonly limits?: Partial<EngineLimits>
  /** The embedding model on a server. */
  readonly remoteModels?: readonly OpenAiModelOptions[]
  /** The reranker on a server. */
  readonly remoteReranker?: HttpRerankerOptions
  /** The languages in which text in pictures is recognised. */
  readonly ocr?: string
}

export function globalOptions(command: CommandUnknownOpts): GlobalOptions {
  const given = command.optsWithGlobals() as Partial<GlobalOptions>
  const { dataDir = './alcove-data', tempDir, secretKeyFile, databaseUrl, filesUrl, limits, ocr } = given
  const json = isSwitchedOn(command, 'json')
  const remoteModels = remoteModelsOf(command.optsWithGlobals())
  const remoteReranker = remoteRerankerOf(command.optsWithGlobals())
  return {
    dataDir,
    json,
    ...(tempDir !== undefined && { tempDir }),
    ...(secretKeyFile !== undefined && { secretKeyFile }),
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(filesUrl !== undefined && { filesUrl }),
    ...(limits !== undefined && { limits }),
    ...(remoteModels !== undefined && { remoteModels }),
    ...(remoteReranker !== undefined && { remoteReranker }),
    ...(ocr !== undefined && { ocr }),
  }
}

/** The global options that an engine takes: it refuses those that it does not know. */
export function engineOptions({ json: _, ...options }: GlobalOptions): Omit<GlobalOptions, 'json'> {
  return options
}

/** True if a switch is on. Commander would take any value of its variable as on, `0` included. */
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

/** The options that each command that sends mails adds. */
export const MAIL_OPTIONS = {
  publicUrl: (): Option<'--public-url <url>'> =>
    option(
      '--public-url <url>',
      'URL under which clients and users reach the server: the issuer of tokens, and the base of links in mails',
    ),
  smtpUrl: (): Option<'--smtp-url <url>'> =>
    option('--smtp-url <url>', 'mail server, such as smtp://user:password@host:587; default: write .eml files'),
  mailFrom: (): Option<'--mail-from <address>'> =>
    option('--mail-from <address>', 'sender of mails; default: alcove@localhost'),
  setupUrl: (): Option<'--setup-url <template>'> =>
    option('--setup-url <template>', 'page where users set their password; contains {token}'),
}

/** The values of the options of commands that send mails. */
interface MailOptions {
  readonly smtpUrl?: string | undefined
  readonly mailFrom?: string | undefined
  readonly setupUrl?: string | undefined
  readonly publicUrl?: string | undefined
}

/** The mail options for the engine. @param address returns the URL of the server, if the command starts one */
export function mailSettings(options: MailOptions, address?: () => string): { mail: MailSettings; mailer?: Mailer } {
  const { smtpUrl, mailFrom = 'alcove@localhost', publicUrl, setupUrl } = options
  const base = publicUrl === undefined ? undefined : publicUrlOf(publicUrl)
  const page = (root: string): string => `${root}/auth/setup?token={token}`
  const template = setupUrl ?? (base === undefined ? undefined : page(base))
  const mailer = smtpUrl === undefined ? undefined : new SmtpMailer({ url: smtpUrl, from: mailFrom })
  if (template !== undefined) return { mail: { setupUrl: template }, ...(mailer && { mailer }) }
  return { mail: address === undefined ? {} : { setupUrl: () => page(address()) }, ...(mailer && { mailer }) }
}

/** The value of `--public-url` without a slash at its end. @throws InvalidInputError */
export function publicUrlOf(url: string): string {
  checkPublicUrl(url)
  return url.replace(/\/+$/, '')
}

/** The option of commands that check destinations or send to them. */
export function webhookAllowOption(): Option<'--webhook-allow <cidr>', undefined, undefined, string[]> {
  return option(
    '--webhook-allow <cidr>',
    'address or network that is not public and may still receive events; repeatable',
  ).argParser(collectNetworks)
}

function collectNetworks(text: string, previous: string[] | undefined): string[] {
  const allow = collect(text, previous)
  try {
    // Only the transport knows the valid spellings.
    new HttpsTransport({ allow })
    return allow
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error
    throw new InvalidArgumentError('Expected an address or a network, such as 10.1.2.3 or 10.1.0.0/16.')
  }
}
