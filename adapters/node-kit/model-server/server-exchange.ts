/** Most characters of a server's own words in an error. */
const MAX_WORDS = 300

/** The key and the further headers of requests to a server. */
interface ServerAccess {
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** @returns the headers of a request with a body of JSON. Those of the host replace the others */
export function jsonHeaders({ key, headers = {} }: ServerAccess): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': 'alcove',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    // Fetch would send both of two names that differ only in case.
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  }
}

/** @returns the texts that no message may contain */
export function secretsOf({ key, headers = {} }: ServerAccess): readonly string[] {
  return [...(key === undefined ? [] : [key]), ...Object.values(headers)]
}

/** @returns the body; undefined if it is longer, and the rest is not read */
export async function readUpTo(response: Response, maxBytes: number): Promise<string | undefined> {
  if (response.body === null) return ''
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += piece.length
    // The end of the loop cancels the rest.
    if (bytes > maxBytes) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/**
 * @param body an answer that is not a success
 * @param secrets texts that are replaced by stars
 * @returns the server's own words, if it has some for people: `error.message`, `error`, `message` or `detail`. Lists of
 *   details are left out, because they repeat the texts of the request
 */
export function serverWords(body: string, secrets: readonly string[]): string {
  let words: unknown
  try {
    const { error, message, detail } = JSON.parse(body) as Readonly<Record<string, unknown>>
    const ofError = typeof error === 'string' ? error : (error as { readonly message?: unknown } | null)?.message
    words = ofError ?? message ?? detail
  } catch {
    return ''
  }
  if (typeof words !== 'string') return ''
  let shown = words.replaceAll(/\s+/g, ' ').trim()
  for (const secret of secrets) shown = shown.replaceAll(secret, '***')
  shown = shown.replaceAll(/\bsk-[\w*-]+/g, '***')
  return shown.length > MAX_WORDS ? `${shown.slice(0, MAX_WORDS)}…` : shown.replace(/\.$/, '')
}
