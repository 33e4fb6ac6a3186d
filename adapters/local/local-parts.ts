import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Engine, EngineOptions } from '../../src/index.js'
import { Argon2PasswordHasher } from '../argon2/index.js'
import { ListedCommonPasswords } from '../common-passwords/index.js'
import { HttpsTransport } from '../https-transport/index.js'
import { JoseTokenSigner } from '../jose/index.js'
import { KnexStorage, openSqlite } from '../knex/index.js'
import { FolderMailer } from '../mail/index.js'
import { OnnxEmbeddingModel } from '../onnx/index.js'
import { TotpOneTimePasswords } from '../totp/index.js'
import type { DataDirLock } from './data-dir-lock.js'
import { DATABASE } from './data-dir-names.js'
import type { LocalEngineOptions } from './local-engine-options.js'
import type { OpenedParts } from './opened-parts.js'
import { withSecretKey } from './secret-key-file.js'

/** The folder of the model in the package. */
export const BUNDLED_MODEL: string = fileURLToPath(new URL('../../../models/all-MiniLM-L6-v2', import.meta.url))

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
    httpTransport: options.httpTransport ?? new HttpsTransport(options.webhooks),
  }
}

export async function withEncryptionKey(
  dataDir: string,
  { secretKey, secretKeyFile = join(dataDir, 'keys', 'secret-key') }: Omit<LocalEngineOptions, 'dataDir'>,
  open: (secretKey: Uint8Array) => Promise<Engine>,
): Promise<Engine> {
  return secretKey === undefined ? await withSecretKey(resolve(secretKeyFile), open) : await open(secretKey)
}

export function openStorage(dataDir: string, options: Pick<LocalEngineOptions, 'knex' | 'tablePrefix'>): KnexStorage {
  const { knex, tablePrefix } = options
  return new KnexStorage({
    knex: knex ?? openSqlite(join(dataDir, DATABASE)),
    keepKnex: knex !== undefined,
    ...(tablePrefix !== undefined && { tablePrefix }),
  })
}

/** @throws ModelError the first one, after every model is opened or has failed */
export async function openModels(folders: readonly string[], opened: OpenedParts): Promise<OnnxEmbeddingModel[]> {
  const models = await Promise.allSettled(
    folders.map(async (folder) => opened.add(await OnnxEmbeddingModel.open(resolve(folder)))),
  )
  return models.map((model) => {
    if (model.status === 'rejected') throw model.reason
    return model.value
  })
}

/** Makes `close` release the lock last, after the last write. */
export function releasing(engine: Engine, lock: DataDirLock): Engine {
  let closing: Promise<void> | undefined
  return {
    owner: engine.owner,
    administration: engine.administration,
    authentication: engine.authentication,
    events: engine.events,
    as: (principal) => engine.as(principal),
    on: (name, listener) => engine.on(name, listener),
    initialize: async (input) => await engine.initialize(input),
    health: async () => await engine.health(),
    whenCleared: async () => await engine.whenCleared(),
    close: async () => {
      closing ??= engine.close().finally(() => lock.release())
      await closing
    },
  }
}
