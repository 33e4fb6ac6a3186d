import type { DocumentEvents } from '../documents/index.js'
import { AlcoveError, DiskUnwritableError } from '../kernel/errors.js'
import { pause } from '../kernel/scheduling/abort.js'
import type { LexicalIndex, PublicKey, VectorIndex } from '../ports/index.js'
import {
  type Caller,
  type InitializeInput,
  type InitializeResult,
  type Introspection,
  type Login,
  type LoginInput,
  type PasswordReset,
  type PasswordSetup,
  type Principal,
  parsePrincipal,
  type RequestOrigin,
  type TokenRequest,
  type TokenResponse,
  type TokenStateRequest,
} from '../tenancy/index.js'
import type { EngineParts } from './engine-parts.js'
import type { HostAdministration } from './host-administration.js'
import type { EventOperations } from './operations/event-operations.js'
import type { Session } from './session.js'

/**
 * The engine: contexts, their documents and their search, for any number of companies.
 *
 * Concurrent calls of all methods are allowed. A failure of the database or of a disk rejects with a `StorageError`,
 * whose `isTransient` says whether a retry may succeed, or with a `StorageFullError` or `StorageReadOnlyError`.
 */
export interface Engine {
  /** The first user, created with the root company. It has all rights on the accounts of that company. */
  readonly owner: Principal
  /**
   * Companies, accounts, roles, users, permissions, API keys and destinations. It checks no rights: only the host uses
   * it.
   */
  readonly administration: HostAdministration
  /** Tokens and passwords: they turn a client or a user into a principal. */
  readonly authentication: Authentication
  /** Events of the host's application, for destinations. */
  readonly events: EventOperations
  /**
   * Returns the operations of a principal. Each call of an operation checks that the principal exists, and what its
   * role allows at that time.
   *
   * @throws InvalidInputError if a member of the principal is missing or invalid
   * @throws ClosedError after the engine is closed
   */
  as(principal: Principal): Session
  /**
   * Adds a listener for events about documents that this process handles. Events of other processes do not reach it. An
   * error of a listener affects no other listener.
   *
   * @returns a function that removes the listener
   * @throws InvalidInputError for an unknown event, or if the listener is not a function
   */
  on<Name extends keyof DocumentEvents>(name: Name, listener: (event: DocumentEvents[Name]) => void): () => void
  /**
   * Creates the first API key, and all that is missing of the root company, its accounts and the owner.
   *
   * @param input name of the root company, and address of the owner. Default: the engine's default values
   * @returns ids, and the API key with its secret, which no other call returns
   * @throws InvalidInputError for invalid input
   * @throws AlreadyInitializedError if there is an API key; nothing changes then
   * @throws ClosedError after the engine is closed
   */
  initialize(input?: InitializeInput): Promise<InitializeResult>
  /**
   * Loads embedding models, so that the first search and the first document do not wait for that. Call it after the
   * opening, for example before a server is ready. A second call is quick.
   *
   * @param options.models ids of the models. Default: the default model alone, because each takes memory
   * @param options.signal ends the wait
   * @throws ModelError `ERR_MODEL_UNKNOWN` for an id that the engine does not have; others if a model cannot be used
   * @throws ClosedError after the engine is closed
   */
  warmUp(options?: WarmUpOptions): Promise<void>
  /** Checks each port by a small read, and that its data can be written, for at most 2 s. Never rejects. */
  health(): Promise<Health>
  /**
   * Waits until deleted data is removed from the disk, or until the engine can remove no more for now.
   *
   * @returns `done` if all deleted data is removed; `full` if the rest waits because a disk is full; `failed` if the
   *   rest waits because its removal failed. The engine retries the rest by itself.
   * @throws StorageError if the database cannot be read
   */
  whenCleared(): Promise<'done' | 'full' | 'failed'>
  /**
   * Closes the engine: aborts or finishes the work in progress, releases its jobs, then closes all ports. A second call
   * waits for the first one.
   *
   * @throws the first error of a port that could not be closed; the engine closes the other ports all the same
   */
  close(): Promise<void>
}

/** Options of {@link Engine.warmUp}. */
export interface WarmUpOptions {
  readonly models?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Operations without a principal: they authenticate clients and users. After the engine is closed, they reject with a
 * `ClosedError`.
 */
export interface Authentication {
  /** Issuer of access tokens: `tokenIssuer` of the engine's options. Default: `alcove`. */
  readonly issuer: string
  /**
   * Exchanges an API key for an access token that is valid for 900 s.
   *
   * @param origin origin of the request, so that wrong secrets also count for the network address. Default: they count
   *   for the client id only
   * @throws TokenRequestError with the error code of RFC 6749
   * @throws ThrottledError for a wrong secret, after too many wrong secrets for the client id or from the network
   *   address within a minute. The engine never refuses the right secret for that reason.
   */
  issueToken(request: TokenRequest, origin?: RequestOrigin): Promise<TokenResponse>
  /**
   * Finds the principal of an access token, and checks its current state.
   *
   * @throws UnauthenticatedError if the token is not authentic, has expired or was revoked, or if its key, user or
   *   company is missing, disabled or revoked
   * @throws ForbiddenError if its permission, role or account is missing, disabled or out of reach
   */
  authenticate(token: string): Promise<Caller>
  /**
   * Revokes an access token before it expires, for all processes at once. Does nothing for a text that is not a valid
   * token.
   *
   * @throws TokenRequestError `invalid_client`; `unauthorized_client` for a token of another client
   * @throws ThrottledError as {@link issueToken}
   */
  revokeToken(request: TokenStateRequest, origin?: RequestOrigin): Promise<void>
  /**
   * Reads the state of a token of the client's company, or of a company below it.
   *
   * @returns `{ active: false }` for every other token
   * @throws TokenRequestError `invalid_client`
   * @throws ThrottledError as {@link issueToken}
   */
  introspectToken(request: TokenStateRequest, origin?: RequestOrigin): Promise<Introspection>
  /**
   * Lists the public keys with which other services verify access tokens, as JSON Web Keys. Empty if the signer has no
   * public keys.
   *
   * @throws SigningKeyError if the keys cannot be read
   */
  publicKeys(): Promise<readonly PublicKey[]>
  /**
   * Checks the current state of a caller, for example while the host sends a long answer.
   *
   * @throws UnauthenticatedError @throws ForbiddenError as {@link authenticate}, but not for an expired token
   */
  renew(caller: Caller): Promise<void>
  /**
   * As {@link renew}, for a principal of the host's own login.
   *
   * @param application `assistant` or `tenant`: the principal still needs a permission on an account of it. Default: the
   *   user and the company must exist and be enabled, which is enough
   * @throws UnauthenticatedError @throws ForbiddenError
   */
  renewPrincipal(principal: Principal, application?: 'assistant' | 'tenant'): Promise<void>
  /**
   * Logs a user or an API key in, for pages: see `cookieLogins` of the REST handler.
   *
   * A login lasts 12 hours. It ends earlier if the user logs out, gets another password, is disabled or deleted, and if
   * the API key is revoked.
   *
   * @param origin as of {@link issueToken}
   * @returns a secret text of at most 1,000 ASCII characters, which names the login
   * @throws InvalidInputError
   * @throws UnauthenticatedError for wrong credentials
   * @throws CompanyRequiredError if `customerId` is missing, and users of several companies have this address and password
   * @throws OneTimePasswordRequiredError if the password is right, and `otp` is missing
   * @throws SecretUnreadableError if the secret of the user's one-time passwords was altered
   * @throws ThrottledError after too many wrong credentials
   */
  logIn(input: LoginInput, origin?: RequestOrigin): Promise<string>
  /**
   * Reads the present state of a login, with the accounts on which it may act.
   * @throws UnauthenticatedError if the login has ended
   */
  getLogin(login: string): Promise<Login>
  /**
   * As {@link getLogin}, for a principal of the host's own login: its account, and its accounts of users and permissions.
   * @throws UnauthenticatedError if the user is disabled or deleted
   */
  describePrincipal(principal: Principal): Promise<Login>
  /**
   * Finds the principal of a login.
   *
   * @param accountId one of the accounts of the login. Default: the assistant account of the user's company; without
   *   one, another account of the user
   * @throws UnauthenticatedError if the login has ended
   * @throws ForbiddenError if the user may not act on the account
   */
  principalOfLogin(login: string, accountId?: number): Promise<Principal>
  /** Ends a login, for all processes at once. Does nothing for a text that names no login. @throws StorageError */
  logOut(login: string): Promise<void>
  /**
   * Mails a link for a new password to a known address. The result does not show whether the address is known.
   *
   * @param input the request, or a function that reads it. The engine calls the function after it has counted the
   *   request.
   * @param origin origin of the request, so that it counts for the network address. Default: it does not count
   * @throws InvalidInputError for an invalid request
   * @throws ThrottledError after too many requests about passwords from one network address within a minute
   */
  requestPasswordReset(input: PasswordReset | (() => Promise<PasswordReset>), origin?: RequestOrigin): Promise<void>
  /**
   * Sets the password of a user with the token of an invitation or of a reset link. All links of the user become
   * invalid. A user who had another password gets a notice by mail.
   *
   * @param input as of {@link requestPasswordReset}
   * @param origin as of {@link requestPasswordReset}
   * @throws InvalidInputError if the token is unknown, used or expired, or if the password breaks a rule; the link of a
   *   refused password stays valid
   * @throws ThrottledError as {@link requestPasswordReset}, and while too many passwords are being set
   */
  setPassword(input: PasswordSetup | (() => Promise<PasswordSetup>), origin?: RequestOrigin): Promise<void>
  /** Counts a request for the page that sets a password. @throws ThrottledError as {@link requestPasswordReset} */
  countPasswordRequest(origin: RequestOrigin): Promise<void>
}

type HealthPort = 'storage' | 'vectorIndex' | 'lexicalIndex' | 'fileStore' | 'embeddingModels'

/** The state of an engine. */
export interface Health {
  /** `ok` if all ports are `ok`. */
  readonly status: 'ok' | 'unavailable'
  /**
   * For each port: `ok`, or an error code. `ERR_TIMEOUT` if the port did not answer within 2 s, `ERR_INTERNAL` for an
   * error that is not Alcove's own.
   */
  readonly ports: Readonly<Record<HealthPort, string>>
  /** The reason in one sentence, for each port whose disk takes no data. Missing if there is none. */
  readonly reasons?: Readonly<Partial<Record<HealthPort, string>>>
}

export function createAuthentication(parts: EngineParts): Authentication {
  return {
    issuer: parts.tokenIssuer.iss,
    issueToken: async (request, origin) =>
      await parts.callTurns.runForStranger(origin, async () => await parts.tokens.issue(request, origin)),
    authenticate: async (token) => await parts.authenticateToken.execute(token),
    renew: async (caller) => {
      await parts.authenticateToken.renew(caller)
    },
    renewPrincipal: async (principal, application) => {
      const parsed = parsePrincipal(principal)
      await parts.callTurns.run(parsed, async () => await parts.authorizer.renew(parsed, application))
    },
    revokeToken: async (request, origin) => {
      await parts.callTurns.runForStranger(origin, async () => await parts.tokens.revoke(request, origin))
    },
    introspectToken: async (request, origin) =>
      await parts.callTurns.runForStranger(origin, async () => await parts.tokens.introspect(request, origin)),
    publicKeys: async () => await parts.tokenSigner.publicKeys(parts.clock.now()),
    logIn: async (input, origin) => await parts.logins.logIn(input, origin),
    getLogin: async (login) => await parts.logins.get(login),
    describePrincipal: async (principal) => await parts.logins.describe(parsePrincipal(principal)),
    principalOfLogin: async (login, accountId) => await parts.logins.principalOf(login, accountId),
    logOut: async (login) => {
      await parts.logins.logOut(login)
    },
    requestPasswordReset: async (input, origin) => {
      await parts.passwords.requestReset(input, origin)
    },
    setPassword: async (input, origin) => {
      await parts.passwords.setup(input, origin)
    },
    countPasswordRequest: async (origin) => {
      await parts.passwords.countRequest(origin)
    },
  }
}

const PORT_TIMEOUT_MS = 2_000
const PORT_TICK_MS = 100

/** Checks each port by a small read, and that its data can be written. */
export async function checkHealth(parts: EngineParts): Promise<Health> {
  const [storage, vectorIndex, lexicalIndex, fileStore, embeddingModels] = await Promise.all([
    checkPort(parts.storage, async () => {
      if (parts.storage.check === undefined) await parts.storage.read(({ settings }) => settings.get('owner'))
      else await parts.storage.check()
    }),
    checkPort(parts.vectorIndex, async () => await checkIndex(parts.vectorIndex)),
    checkPort(parts.lexicalIndex, async () => await checkIndex(parts.lexicalIndex)),
    checkPort(parts.fileStore, async () => {
      for await (const _key of parts.fileStore.list()) return
    }),
    checkPort({}, () => parts.embeddingModels.check()),
  ])
  const checked = { storage, vectorIndex, lexicalIndex, fileStore, embeddingModels }
  const ports = {
    storage: storage.state,
    vectorIndex: vectorIndex.state,
    lexicalIndex: lexicalIndex.state,
    fileStore: fileStore.state,
    embeddingModels: embeddingModels.state,
  }
  const reasons = Object.fromEntries(
    Object.entries(checked).flatMap(([port, { reason }]) => (reason === undefined ? [] : [[port, reason]])),
  )
  const isOk = Object.values(ports).every((state) => state === 'ok')
  return { status: isOk ? 'ok' : 'unavailable', ports, ...(Object.keys(reasons).length > 0 && { reasons }) }
}

async function checkIndex(index: Pick<VectorIndex | LexicalIndex, 'check' | 'listCollections'>): Promise<void> {
  if (index.check === undefined) await index.listCollections()
  else await index.check()
}

/** The state of one port: `ok` or an error code, with the reason in words if everybody may know it. */
interface PortState {
  readonly state: string
  readonly reason?: string
}

async function checkPort(
  port: { readonly requireWritable?: () => Promise<void> },
  readSomething: () => Promise<unknown>,
): Promise<PortState> {
  const check = async (): Promise<PortState> => {
    try {
      await readSomething()
      await port.requireWritable?.()
      return { state: 'ok' }
    } catch (error) {
      return stateOf(error)
    }
  }
  const state = check()
  return await Promise.race([state, timeOut(state)])
}

/** Only the sentence about a disk is for everybody: other messages may name files and tables. */
function stateOf(error: unknown): PortState {
  if (error instanceof DiskUnwritableError) return { state: error.code, reason: error.message }
  return { state: error instanceof AlcoveError ? error.code : 'ERR_INTERNAL' }
}

/**
 * Counts the time in ticks, because the host may block the event loop for seconds. The answer of a port waits in the
 * queue meanwhile, and one late tick must not pass for a port that does not answer.
 */
async function timeOut(state: Promise<unknown>): Promise<PortState> {
  for (let ms = 0; ms < PORT_TIMEOUT_MS; ms += PORT_TICK_MS) await pause(PORT_TICK_MS, state)
  return { state: 'ERR_TIMEOUT' }
}
