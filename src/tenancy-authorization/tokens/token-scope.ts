import { TokenRequestError } from '../../shared/errors.js'
import { CAPABILITIES, type Capability } from '../access/capability.js'

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
