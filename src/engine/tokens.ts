import type { AbstractNewable } from 'inversify'
import type { EngineLimits } from '../kernel/limits.js'
import type {
  Clock,
  CommonPasswords,
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
import type { Reach, TokenIssuer } from '../tenancy/index.js'

/**
 * Creates the token of a port in the container. Its type is a class of the port, so that the compiler checks the
 * bindings and the injections.
 */
function token<Port>(name: string): AbstractNewable<Port> {
  return Symbol(name) as unknown as AbstractNewable<Port>
}

export const STORAGE: AbstractNewable<Storage> = token('Storage')
export const LEXICAL_INDEX: AbstractNewable<LexicalIndex> = token('LexicalIndex')
export const VECTOR_INDEX: AbstractNewable<VectorIndex> = token('VectorIndex')
export const TEXT_EXTRACTOR: AbstractNewable<TextExtractor> = token('TextExtractor')
export const FILE_STORE: AbstractNewable<FileStore> = token('FileStore')
export const STARTER_PROMPT_WRITER: AbstractNewable<StarterPromptWriter> = token('StarterPromptWriter')
export const CLOCK: AbstractNewable<Clock> = token('Clock')
export const TELEMETRY: AbstractNewable<Telemetry> = token('Telemetry')
export const TOKEN_SIGNER: AbstractNewable<TokenSigner> = token('TokenSigner')
export const PASSWORD_HASHER: AbstractNewable<PasswordHasher> = token('PasswordHasher')
export const COMMON_PASSWORDS: AbstractNewable<CommonPasswords> = token('CommonPasswords')
export const ONE_TIME_PASSWORDS: AbstractNewable<OneTimePasswords> = token('OneTimePasswords')
export const MAILER: AbstractNewable<Mailer> = token('Mailer')
export const HTTP_TRANSPORT: AbstractNewable<HttpTransport> = token('HttpTransport')
/** The issuer of access tokens. */
export const TOKEN_ISSUER: AbstractNewable<TokenIssuer> = token('TokenIssuer')
/** The limits of a tenant: on data, on work in progress and on rates. */
export const LIMITS: AbstractNewable<EngineLimits> = token('Limits')
/** The reach of the host's own administration. */
export const HOST_REACH: AbstractNewable<Reach> = token('HostReach')
