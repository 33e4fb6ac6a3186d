/**
 * The pause that a header `Retry-After` asks for, in seconds or until a date (RFC 9110, section 10.2.3). Some servers
 * send a fraction of a second.
 *
 * @returns milliseconds, at least 0; undefined if there is no header, or it is not valid
 */
export function retryAfterMs(header: string | null | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}(\.\d+)?$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}
