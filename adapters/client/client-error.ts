/** A mistake in a call of the client, or a server that gives no answer. */
export class AlcoveClientError extends Error {
  override readonly name = 'AlcoveClientError'
  /**
   * Stable. `ERR_INVALID_INPUT`: an option or an argument is wrong; nothing was sent. `ERR_UNREACHABLE`: no answer came,
   * or it broke off; `cause` is the error of the platform.
   */
  readonly code: 'ERR_INVALID_INPUT' | 'ERR_UNREACHABLE'

  constructor(code: AlcoveClientError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The error of an option or an argument. @param problem such as `must be a positive integer` */
export function invalid(field: string, problem: string): AlcoveClientError {
  return new AlcoveClientError('ERR_INVALID_INPUT', `${field}: ${problem}`)
}

/** The reasons by the codes that Node gives. A browser gives none. */
const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/REFUSED/, 'the connection was refused: check that the server runs'],
  [/ENOTFOUND|EAI_/, 'DNS does not know the host'],
  [/TIME/, 'no answer came in time'],
  [/CERT|TLS|SSL|EPROTO|VERIFY/, 'TLS has failed'],
  [/RESET|SOCKET|EPIPE/, 'the connection was lost'],
]

/** An error may be its own cause. */
const MAX_CAUSES = 10

interface PlatformError {
  readonly message?: string
  readonly code?: string
  readonly cause?: unknown
}

/** The error of a request that got no whole answer, with the address and the reason. */
export function unreachable(url: string, error: unknown): AlcoveClientError {
  // A `fetch` of the host may reject with anything.
  let deepest: PlatformError = typeof error === 'object' && error !== null ? error : { message: String(error) }
  for (let depth = 0; depth < MAX_CAUSES && typeof deepest.cause === 'object' && deepest.cause !== null; depth += 1)
    deepest = deepest.cause
  const { code = '', message = '' } = deepest
  const reason = REASONS.find(([pattern]) => pattern.test(code))?.[1]
  const known = reason === undefined ? message : `${reason} (${code})`
  // A browser hides the reason from the page.
  const hint = deepest === error ? '; check the server, and its corsOrigins' : ''
  const [address] = url.split('?', 1)
  return new AlcoveClientError('ERR_UNREACHABLE', `no answer from ${address}: ${known}${hint}`, { cause: error })
}

/**
 * Waits for an answer of the server.
 *
 * @throws AlcoveClientError in place of an error of the platform, unless `signal` is aborted
 */
export async function answered<T>(
  url: string,
  signal: AbortSignal | null | undefined,
  answer: () => Promise<T>,
): Promise<T> {
  try {
    return await answer()
  } catch (error) {
    if (signal?.aborted === true || nameOf(error).startsWith('Alcove')) throw error
    throw unreachable(url, error)
  }
}

/** The name of an error; `undefined` as a text for a value without one. */
export function nameOf(error: unknown): string {
  return String((error as { readonly name?: unknown } | null | undefined)?.name)
}
