/** The id that the client gave its request in `x-request-id`, or a new one. */
export function requestIdOf({ headers }: Request): string {
  const given = headers.get('x-request-id') ?? ''
  return /^[\w.-]{1,64}$/.test(given) ? given : crypto.randomUUID()
}
