import { InvalidInputError, TokenRequestError } from '../../kernel/errors.js'
import { CAPABILITIES, type Capability } from '../access/principal.js'

/**
 * The capabilities that a client asks for (RFC 6749, section 3.3).
 * @throws TokenRequestError `invalid_scope` for what is no list of capabilities, each of them once
 */
export function parseScope(text: string): readonly Capability[] {
  const names = typeof text === 'string' ? text.split(' ') : []
  const found = CAPABILITIES.filter((capability) => names.includes(capability))
  if (found.length > 0 && found.length === names.length) return found
  throw new TokenRequestError(
    'invalid_scope',
    `scope must be capabilities with a space between them, each once: ${CAPABILITIES.join(', ')}`,
  )
}

/**
 * The capabilities that the scope of a token leaves. Names that this version does not know allow nothing.
 * @param claim the scope that the token has; omitted, it is not narrowed
 */
export function scopeOf(claim: string | undefined): readonly Capability[] | undefined {
  if (claim === undefined) return undefined
  const names = claim.split(' ')
  return CAPABILITIES.filter((capability) => names.includes(capability))
}

/** @throws TokenRequestError `invalid_scope` where a role lacks a capability that is asked for */
export function requireScope(
  scope: readonly Capability[] | undefined,
  {
    applications,
    capabilities,
  }: { readonly applications: readonly string[]; readonly capabilities: readonly string[] },
  application: string,
): void {
  const isValid = applications.includes(application)
  const lacking = (scope ?? []).filter((capability) => !isValid || !capabilities.includes(capability))
  if (lacking.length === 0) return
  const names = lacking.join(', ')
  throw new TokenRequestError(
    'invalid_scope',
    `the key's user does not have these capabilities on the account: ${names}`,
  )
}

/** Who issues access tokens, and for whom: the same engine. */
export interface TokenIssuer {
  readonly iss: string
  readonly aud: string
}

const NAME = 'alcove'

const MOST_CHARACTERS = 255

/**
 * The issuer of an engine's tokens.
 * @param url the issuer identifier of RFC 8414; omitted, the issuer is `alcove`
 * @throws InvalidInputError for what is no such URL
 */
export function tokenIssuerOf(url?: string): TokenIssuer {
  if (url !== undefined && !isIssuerUrl(url)) {
    throw new InvalidInputError(
      'tokenIssuer',
      'must be a web address without query and fragment, such as https://alcove.example.com',
    )
  }
  return { iss: url ?? NAME, aud: NAME }
}

function isIssuerUrl(url: unknown): boolean {
  if (typeof url !== 'string' || url.length > MOST_CHARACTERS || !URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#\s]/.test(url)
}
