import { randomBytes } from 'node:crypto'
import { readFile, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Engine, type EngineOptions, SecretKeyError } from '../../src/index.js'
import { withinField } from '../../src/ports/index.js'
import { Argon2PasswordHasher } from '../argon2/index.js'
import { ListedCommonPasswords } from '../common-passwords/index.js'
import { HttpsTransport } from '../https-transport/index.js'
import { JoseTokenSigner } from '../jose/index.js'
import { KnexStorage, openSqlite } from '../knex/index.js'
import { FolderMailer } from '../mail/index.js'
import { codeOf, createPrivateFile, makeFolder } from '../node-kit/index.js'
import { TotpOneTimePasswords } from '../totp/index.js'
import { DATABASE } from './folder/data-dir.js'
import type { DataDirLock } from './folder/data-dir-lock.js'
import type { LocalEngineOptions } from './options/local-engine-options.js'

export const NO_LOCK: DataDirLock = { release: () => Promise.resolve() }

/** Opens the adapters for tokens, passwords, mails and webhooks. */
export async function openSecurity(
  dataDir: string,
  options: Omit<LocalEngineOptions, 'dataDir'>,
): Promise<
  Pick<
    EngineOptions,
    'tokenSigner' | 'passwordHasher' | 'commonPasswords' | 'oneTimePasswords' | 'mailer' | 'httpTransport'
  >
> {
  const keyFile = resolve(options.signingKeyFile ?? join(dataDir, 'keys', 'signing-keys.json'))
  return {
    tokenSigner: options.tokenSigner ?? (await new JoseTokenSigner({ keyFile }).open()),
    passwordHasher: options.passwordHasher ?? new Argon2PasswordHasher(),
    commonPasswords: options.commonPasswords ?? new ListedCommonPasswords(),
    oneTimePasswords: options.oneTimePasswords ?? new TotpOneTimePasswords(),
    mailer: options.mailer ?? new FolderMailer(join(dataDir, 'mail')),
    httpTransport: options.httpTransport ?? openTransport(options.webhooks),
  }
}

/** @throws InvalidInputError about a member of `webhooks` */
export function openTransport(webhooks: LocalEngineOptions['webhooks']): HttpsTransport {
  try {
    return new HttpsTransport(webhooks)
  } catch (error) {
    throw withinField('webhooks', error)
  }
}

export function openStorage(dataDir: string, options: Pick<LocalEngineOptions, 'knex' | 'tablePrefix'>): KnexStorage {
  const { knex, tablePrefix } = options
  return new KnexStorage({
    knex: knex ?? openSqlite(join(dataDir, DATABASE)),
    keepKnex: knex !== undefined,
    ...(tablePrefix !== undefined && { tablePrefix }),
  })
}

/** Makes `close` release the lock last, after the last write. */
export function releasing(engine: Engine, lock: DataDirLock): Engine {
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    try {
      await engine.close()
    } finally {
      await lock.release()
    }
  }
  return withClose(engine, async () => await (closing ??= close()))
}

/** An engine with another `close`, and with other members that `changes` has. */
export function withClose(engine: Engine, close: Engine['close'], changes: Partial<Engine> = {}): Engine {
  return {
    owner: engine.owner,
    administration: engine.administration,
    authentication: engine.authentication,
    events: engine.events,
    as: (principal) => engine.as(principal),
    on: (name, listener) => engine.on(name, listener),
    initialize: async (input) => await engine.initialize(input),
    warmUp: async (options) => await engine.warmUp(options),
    health: async () => await engine.health(),
    whenCleared: async () => await engine.whenCleared(),
    ...changes,
    close,
  }
}

export async function withEncryptionKey(
  dataDir: string,
  { secretKey, secretKeyFile = join(dataDir, 'keys', 'secret-key') }: Omit<LocalEngineOptions, 'dataDir'>,
  open: (secretKey: Uint8Array) => Promise<Engine>,
): Promise<Engine> {
  return secretKey === undefined ? await withSecretKey(resolve(secretKeyFile), open) : await open(secretKey)
}

const KEY_BYTES = 32

/**
 * Runs `open` with the key that encrypts secrets. The file contains 32 bytes as base64, for example from
 * `openssl rand -base64 32`. It is created with mode 0600 if it is missing. If the database refuses a new key because
 * it has another one, the new file is removed, so that the operator can put the other one there.
 *
 * @throws SecretKeyError if the file cannot be read or created, or does not contain the key of the database
 */
async function withSecretKey<T>(path: string, open: (secretKey: Uint8Array) => Promise<T>): Promise<T> {
  const found = await readIfPresent(path)
  if (found !== undefined) {
    return await open(parseKey(path, found)).catch((error: unknown) => {
      if (!(error instanceof SecretKeyError)) throw error
      throw new SecretKeyError(`the file with the secret-encryption key is ${path}: ${error.message}`, { cause: error })
    })
  }
  const { text, isNew } = await createKeyFile(path)
  try {
    return await open(parseKey(path, text))
  } catch (error) {
    if (!isNew || !(error instanceof SecretKeyError)) throw error
    await removeIfSame(path, text)
    throw keyError(
      path,
      'is missing, but the database has secrets encrypted with it: put the file back, or give its path with secretKeyFile (--secret-key-file)',
      error,
    )
  }
}

function parseKey(path: string, text: string): Uint8Array {
  const key = Buffer.from(text.trim(), 'base64')
  // The decoder skips characters that are not base64, so the text is compared.
  if (key.length !== KEY_BYTES || key.toString('base64') !== text.trim()) {
    throw keyError(
      path,
      `must contain ${KEY_BYTES} bytes as base64, for example from "openssl rand -base64 32": restore the key of the database from a backup`,
    )
  }
  return new Uint8Array(key)
}

async function readIfPresent(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw keyError(path, 'cannot be read: make it a file that the process may read, or restore it from a backup', error)
  })
}

/** Two processes may create the file at the same time. The first one wins. */
async function createKeyFile(path: string): Promise<{ readonly text: string; readonly isNew: boolean }> {
  const text = `${randomBytes(KEY_BYTES).toString('base64')}\n`
  try {
    await makeFolder(dirname(path))
    if (await createPrivateFile(path, text)) return { text, isNew: true }
  } catch (error) {
    throw keyError(path, 'cannot be written', error)
  }
  return { text: (await readIfPresent(path)) ?? '', isNew: false }
}

/** The operator may have put the right key there in the meantime. */
async function removeIfSame(path: string, text: string): Promise<void> {
  if ((await readIfPresent(path)) === text) await unlink(path)
}

function keyError(path: string, predicate: string, cause?: unknown): SecretKeyError {
  return new SecretKeyError(`the file with the secret-encryption key, ${path}, ${predicate}`, { cause })
}
