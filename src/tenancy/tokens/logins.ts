import { z } from 'zod'
import { randomToken, type SecretBox, sha256Hex } from '../../kernel/crypto.js'
import {
  errorReason,
  ForbiddenError,
  SecretUnreadableError,
  TokenRequestError,
  UnauthenticatedError,
} from '../../kernel/errors.js'
import { isBeforeEnd } from '../../kernel/lifetimes.js'
import { isRecord, validate } from '../../kernel/validate.js'
import type { ApiKeyRecord, Clock, Repositories, Storage, UserRecord } from '../../ports/index.js'
import { findUsableUser, isKeyUsable, type Principal, type RequestOrigin } from '../access/principal.js'
import type { CallTurns } from '../call-turns.js'
import type { Passwords } from '../users/passwords.js'
import { mainPrincipal, userPrincipals } from '../users/user-principals.js'
import type { AuthenticateClient } from './authenticate-client.js'
import { keyLoginSchema, type Login, type LoginInput, passwordLoginSchema } from './login.js'
import { principalsOf, toAccounts, toLoginUser, withinReach } from './login-accounts.js'
import { loginEpochOf } from './login-epoch.js'

/** Lifetime of a login in milliseconds: a working day. */
const LIFETIME_MS = 12 * 3_600_000

/** The content of a login's token. It is encrypted: clients cannot read it. */
const CONTENT = z.object({
  purpose: z.literal('login'),
  id: z.string(),
  userId: z.number(),
  companyId: z.number(),
  /** Identifies the password at the time of the login. */
  passwordMark: z.string().optional(),
  keyId: z.number().optional(),
  /** The state of the user and the companies at the time of the login. */
  epoch: z.number(),
  expiresMs: z.number(),
})

type Content = z.infer<typeof CONTENT>
/** The members that every new login gets. */
type Issued = 'purpose' | 'id' | 'expiresMs'

/** A valid token with the rows that it is checked against. */
interface LiveLogin {
  readonly user: UserRecord
  /** Undefined for a login with a password. */
  readonly key: ApiKeyRecord | undefined
  readonly content: Content
}

/**
 * Logins of users and API keys, for pages: a browser keeps the token of a login in a cookie. The token is encrypted, and
 * contains only ids. Every request reads the current rows, so a login ends at once if
 *
 * - the user logs out,
 * - the user, the company or the API key is disabled, revoked or deleted,
 * - the user gets another password.
 *
 * It ends after 12 hours in any case. A user, company or key that is enabled later brings no login back.
 */
export class Logins {
  readonly #secretBox: SecretBox
  readonly #passwords: Passwords

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    secretBox: SecretBox,
    passwords: Passwords,
    private readonly clients: AuthenticateClient,
    private readonly turns: CallTurns,
  ) {
    this.#secretBox = secretBox
    this.#passwords = passwords
  }

  /**
   * @returns the token of the new login
   * @throws InvalidInputError
   * @throws UnauthenticatedError for wrong credentials
   * @throws CompanyRequiredError @throws OneTimePasswordRequiredError @throws SecretUnreadableError
   * @throws ThrottledError as {@link Passwords.verify}
   */
  async logIn(input: LoginInput, origin: RequestOrigin = {}): Promise<string> {
    const isKey = isRecord(input) && 'clientId' in input
    const content = isKey ? await this.#contentOfKey(input, origin) : await this.#contentOf(input, origin)
    const expiresMs = this.clock.now().getTime() + LIFETIME_MS
    const token: Content = { ...content, purpose: 'login', id: randomToken(16), expiresMs }
    return await this.#secretBox.seal(JSON.stringify(token))
  }

  /** @throws UnauthenticatedError if the login has ended @throws ThrottledError as {@link CallTurns.run} */
  async get(token: string): Promise<Login> {
    return await this.#readLive(token, async (repositories, { user, key, content }) => {
      return {
        kind: key === undefined ? 'password' : 'key',
        user: toLoginUser(user),
        clientId: key?.clientId ?? null,
        expires: new Date(content.expiresMs).toISOString(),
        sight: key?.sight ?? 'user',
        accounts: await toAccounts(repositories, await principalsOf(repositories, user, key)),
      }
    })
  }

  /**
   * The same state for a principal of another login: its account, and those of users and permissions.
   * @throws UnauthenticatedError if the user is disabled or deleted
   */
  async describe({ userId, accountId, companyId, sight = 'user', scope, targets, origin }: Principal): Promise<Login> {
    return await this.storage.read(async (repositories) => {
      const user = await findUsableUser(repositories, userId)
      if (user === undefined) throw new UnauthenticatedError(`the user ${userId} does not exist, or is disabled`)
      const reached = await withinReach(repositories, await userPrincipals(repositories, userId), {
        companyId,
        targets,
      })
      const principals = reached
        .filter(({ account, application }) => account.id === accountId || application === 'tenant')
        .map((usable) => ({ ...usable, principal: { ...usable.principal, companyId, scope } }))
      return {
        kind: targets === undefined ? 'host' : 'key',
        user: toLoginUser(user),
        clientId: origin?.clientId ?? null,
        expires: null,
        sight,
        accounts: await toAccounts(repositories, principals),
      }
    })
  }

  /**
   * The principal of a request.
   *
   * @param accountId the account that the user has chosen. Default: the one on which the user usually acts
   * @throws UnauthenticatedError if the login has ended
   * @throws ForbiddenError if the user may not act on the account, or on any
   * @throws ThrottledError as {@link CallTurns.run}
   */
  async principalOf(token: string, accountId?: number): Promise<Principal> {
    return await this.#readLive(token, async (repositories, { user, key }) => {
      const principals = await principalsOf(repositories, user, key, accountId)
      // Without this, a key would act on an account that is not one of its own.
      if (principals.length === 0) {
        if (accountId === undefined) {
          throw new ForbiddenError(
            'you may act on no account now: somebody who manages users must give you a permission',
            errorReason('no-usable-account'),
          )
        }
        throw new ForbiddenError(
          `you may not act on the account ${accountId} now: choose another one`,
          errorReason('account-not-usable', { account: accountId }),
        )
      }
      const principal = await mainPrincipal(repositories, user, principals)
      if (key === undefined) return principal
      return { ...principal, origin: { clientId: key.clientId } }
    })
  }

  /** Ends a login. Does nothing for a token that is not valid: nothing is left to end then. */
  async logOut(token: string): Promise<void> {
    const content = await this.#contentIn(token)
    if (content === undefined) return
    const tokenHash = await hashOf(content)
    await this.storage.transaction(({ revokedTokens }) => {
      return revokedTokens.add({ tokenHash, expiresMs: content.expiresMs })
    })
  }

  async #contentOf(input: unknown, origin: RequestOrigin): Promise<Omit<Content, Issued>> {
    const { email, password, customerId: companyId, otp } = validate(passwordLoginSchema, input)
    const { remoteAddress, requestId } = origin
    const user = await this.#passwords.verify(email, password, { companyId, otp, remoteAddress, requestId })
    const stored = user && (await this.storage.read(({ users }) => users.get(user.id)))
    if (stored === undefined) {
      const wrong =
        otp === undefined ? 'the e-mail address or the password' : 'the e-mail address, the password or the code'
      throw new UnauthenticatedError(`${wrong} is wrong, or the user is disabled`)
    }
    const epoch = await this.storage.read(async (repositories) => await epochOf(repositories, stored, undefined))
    return { userId: stored.id, companyId: stored.companyId, passwordMark: await markOf(stored), epoch }
  }

  async #contentOfKey(input: unknown, origin: RequestOrigin): Promise<Omit<Content, Issued>> {
    const credentials = validate(keyLoginSchema, input)
    try {
      return await this.clients.recordRefusals(credentials, origin, async () => {
        const key = await this.clients.authenticate(credentials, origin)
        const now = this.clock.now().toISOString()
        const epoch = await this.storage.transaction(async (repositories) => {
          await repositories.apiKeys.touch(key.id, now)
          return await epochOf(repositories, await repositories.users.get(key.userId), key)
        })
        return { userId: key.userId, companyId: key.companyId, keyId: key.id, epoch }
      })
    } catch (error) {
      if (error instanceof TokenRequestError) throw new UnauthenticatedError(error.message)
      throw error
    }
  }

  async #readLive<T>(token: string, use: (repositories: Repositories, login: LiveLogin) => Promise<T>): Promise<T> {
    const content = await this.#contentIn(token)
    if (content === undefined) throw ended()
    const tokenHash = await hashOf(content)
    const read = async (repositories: Repositories): Promise<T> => {
      const { apiKeys, revokedTokens, companies } = repositories
      const [user, key, isRevoked] = await Promise.all([
        findUsableUser(repositories, content.userId),
        content.keyId === undefined ? undefined : apiKeys.get(content.keyId),
        revokedTokens.has(tokenHash),
      ])
      if (user === undefined || isRevoked) throw ended()
      if (content.epoch !== (await epochOf(repositories, user, key))) throw ended()
      if (content.keyId !== undefined) {
        const isUsable = key?.userId === user.id && isKeyUsable(key, this.clock.now())
        if (!isUsable || (await companies.get(key.companyId))?.isDisabled !== false) throw ended()
      } else if (content.passwordMark !== (await markOf(user))) throw ended()
      return await use(repositories, { user, key, content })
    }
    // The sealed content tells the company before any read.
    return await this.turns.run(content, async () => await this.storage.read(read))
  }

  async #contentIn(token: string): Promise<Content | undefined> {
    const content = await this.#open(token)
    if (content === undefined) return undefined
    return isBeforeEnd(new Date(content.expiresMs), this.clock.now(), LIFETIME_MS) ? content : undefined
  }

  /** @returns undefined for a text that is no token: one of another server on the same host, or an invented one */
  async #open(token: string): Promise<Content | undefined> {
    try {
      return CONTENT.safeParse(parseJson(await this.#secretBox.open(token))).data
    } catch (error) {
      if (error instanceof SecretUnreadableError) return undefined
      throw error
    }
  }
}

/** Other secrets that are sealed with the same key are no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function ended(): UnauthenticatedError {
  return new UnauthenticatedError('the login has ended: log in again')
}

async function hashOf({ id }: Content): Promise<string> {
  return await sha256Hex(`login:${id}`)
}

async function epochOf(
  repositories: Repositories,
  user: UserRecord | undefined,
  key: ApiKeyRecord | undefined,
): Promise<number> {
  if (user === undefined) return 0
  return await loginEpochOf(repositories, { user, companyId: key?.companyId ?? user.companyId, known: [] })
}

/** Changes with the password. It says nothing about it: the stored hash is salted. */
async function markOf({ passwordHash }: UserRecord): Promise<string> {
  return (await sha256Hex(`login:${passwordHash}`)).slice(0, 32)
}
