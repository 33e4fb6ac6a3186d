import { InvalidInputError } from '../kernel/errors.js'
import type { EngineLimits } from '../kernel/limits.js'
import type {
  Clock,
  CommonPasswords,
  EmbeddingModel,
  FileStore,
  HttpTransport,
  LexicalIndex,
  Mailer,
  OneTimePasswords,
  PasswordHasher,
  StarterPromptWriter,
  Storage,
  Telemetry,
  TextExtractor,
  TokenSigner,
  VectorIndex,
} from '../ports/index.js'
import type { InitializeInput, MailSettings } from '../tenancy/index.js'

const ENGINE_ROLES = ['ingest', 'relay'] as const

/** `ingest`: process documents, and clear away what was deleted. `relay`: send events and mails. */
export type EngineRole = (typeof ENGINE_ROLES)[number]

/** What an engine is made of: one adapter for each port. The engine closes them when it is closed. */
export interface EngineOptions {
  readonly storage: Storage
  readonly vectorIndex: VectorIndex
  /** Finds chunks by their words. */
  readonly lexicalIndex: LexicalIndex
  /** At least one; the first is the default of new contexts. */
  readonly embeddingModels: readonly EmbeddingModel[]
  readonly textExtractor: TextExtractor
  readonly fileStore: FileStore
  readonly starterPromptWriter: StarterPromptWriter
  readonly tokenSigner: TokenSigner
  readonly passwordHasher: PasswordHasher
  /** Passwords that nobody may choose: they are guessed first. */
  readonly commonPasswords: CommonPasswords
  /** The second factor of the password check. */
  readonly oneTimePasswords: OneTimePasswords
  readonly mailer: Mailer
  /** Sends events to destinations. */
  readonly httpTransport: HttpTransport
  /**
   * 32 bytes, the same for all engines on a storage: signing secrets and the secrets of one-time passwords are encrypted
   * with them (AES-256-GCM).
   */
  readonly secretKey: Uint8Array
  /** How long deliveries stay in the log after they were made; default 30 days. */
  readonly deliveryRetentionDays?: number
  /** How long entries of the audit trail are kept; default 400 days. */
  readonly auditRetentionDays?: number
  /**
   * What the audit trail names as client id of the host's own administration, such as the name of the program, at most
   * 255 characters; default nothing.
   */
  readonly hostClientId?: string
  /**
   * Issuer of access tokens (`iss`): the web address at which clients reach the service, without query and fragment.
   * All engines on a storage need the same one: each refuses tokens of another issuer. Default `alcove`.
   */
  readonly tokenIssuer?: string
  /** How invitations are worded, and where their links lead. */
  readonly mail?: MailSettings
  /** Default: the system's clock. */
  readonly clock?: Clock
  /** Default: nobody listens. */
  readonly telemetry?: Telemetry
  /** Whether this engine works, rather than only looking after records beside one that does; default true. */
  readonly isWorking?: boolean
  /** What it works at; default all. What it does not do is left to other engines on the storage. */
  readonly roles?: readonly EngineRole[]
  /**
   * Whether no other engine works on this storage, which the caller has made sure of: then
   * work that a dead process held is taken up at once. Default false: when its leases run out.
   */
  readonly isAlone?: boolean
  /**
   * Whether other engines work on this storage at the same time, in other processes; default false. Then one of those
   * that ingest clears away what crashes have left behind, and looks whether all is well, every hour; none of them does
   * at its start.
   */
  readonly isShared?: boolean
  /**
   * Whether an engine that ingests clears away at its start, in the background, what crashes have left behind;
   * default true. Without it that waits for `administration.verify({ repair: true })`, which then tells of it; and all
   * work waits, in the background, until the database has been looked at: there is none on one that is damaged.
   */
  readonly isSweeping?: boolean
  /** What one tenant may hold, have under way, and do in a time; each has a default. */
  readonly limits?: Partial<EngineLimits>
  /** Documents processed at a time, at most half of them of one context; default 4. */
  readonly ingestionConcurrency?: number
  /** Names of what is made on an empty storage. */
  readonly initial?: InitializeInput
}

/**
 * Checks what plain JavaScript may get wrong without being told.
 * @throws InvalidInputError
 */
export function requireUsable(options: EngineOptions): void {
  const { embeddingModels, roles, ingestionConcurrency = 1 } = options
  if (embeddingModels.length === 0) throw new InvalidInputError('embeddingModels', 'must have at least one model')
  if (!Number.isSafeInteger(ingestionConcurrency) || ingestionConcurrency < 1)
    throw new InvalidInputError('ingestionConcurrency', 'must be a positive integer')
  // A missing list would show at the first password, not at the start.
  const given: Partial<EngineOptions> = options
  if (given.commonPasswords === undefined)
    throw new InvalidInputError('commonPasswords', 'must be a list of common passwords')
  const known: readonly unknown[] = ENGINE_ROLES
  if (roles === undefined || (Array.isArray(roles) && roles.every((role) => known.includes(role)))) return
  const list = ENGINE_ROLES.map((role) => JSON.stringify(role)).join(', ')
  throw new InvalidInputError('roles', `must be a list of roles, which are ${list}`)
}
