import { InvalidInputError, TokenRequestError } from '../../kernel/errors.js'
import { CAPABILITIES, type Capability } from '../access/principal.js'

/**
 * The capabilities that a client requests (RFC 6749, section 3.3).
 * @throws TokenRequestError `invalid_scope` if the text does not list capabilities, each at most once
 */
export function parseScope(text: string): readonly Capability[] {
  const names = typeof text === 'string' ? text.split(' ') : []
  const found = CAPABILITIES.filter((capability) => names.includes(capability))
  if (found.length > 0 && found.length === names.length) return found
  throw new TokenRequestError(
    'invalid_scope',
    `scope must be capabilities with one space between them, each at most once: ${CAPABILITIES.join(', ')}`,
  )
}

/**
 * The capabilities of a token's scope. Names that this version does not know allow nothing.
 * @param claim the scope claim of the token; undefined if the token has no scope and is not narrowed
 */
export function knownScopeOf(claim: string | undefined): readonly Capability[] | undefined {
  if (claim === undefined) return undefined
  const names = claim.split(' ')
  return CAPABILITIES.filter((capability) => names.includes(capability))
}

/** @throws TokenRequestError `invalid_scope` if the role lacks a requested capability */
export function requireScope(
  scope: readonly Capability[] | undefined,
  {
    applications,
    capabilities,
  }: { readonly applications: readonly string[]; readonly capabilities: readonly string[] },
  application: string,
): void {
  const isRoleValid = applications.includes(application)
  const lacking = (scope ?? []).filter((capability) => !isRoleValid || !capabilities.includes(capability))
  if (lacking.length === 0) return
  const names = lacking.join(', ')
  throw new TokenRequestError(
    'invalid_scope',
    `the key's user does not have these capabilities on the account: ${names}`,
  )
}

/** The issuer and the audience of access tokens: an engine issues tokens for itself. */
export interface TokenIssuer {
  readonly iss: string
  readonly aud: string
}

const DEFAULT_ISSUER = 'alcove'
const AUDIENCE = 'alcove'
const MAX_URL_LENGTH = 255

/**
 * The issuer of an engine's tokens.
 * @param url the issuer identifier of RFC 8414; default `alcove`
 * @throws InvalidInputError if it is not a web address without query and fragment
 */
export function tokenIssuerOf(url?: string): TokenIssuer {
  if (url !== undefined && !isIssuerUrl(url)) {
    throw new InvalidInputError(
      'tokenIssuer',
      'must be a web address without query and fragment, such as https://alcove.example.com',
    )
  }
  return { iss: url ?? DEFAULT_ISSUER, aud: AUDIENCE }
}

function isIssuerUrl(url: unknown): boolean {
  if (typeof url !== 'string' || url.length > MAX_URL_LENGTH || !URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#\s]/.test(url)
}
