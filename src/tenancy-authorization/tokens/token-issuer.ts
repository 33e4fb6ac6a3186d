import { InvalidInputError } from '../../shared/errors.js'

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
