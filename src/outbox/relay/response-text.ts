/**
 * The beginning of a response's body for the delivery log: as UTF-8, whatever it is, without characters that
 * no store or terminal should get.
 */
export function responseText(body: Uint8Array): string {
  return new TextDecoder().decode(body).replaceAll(/[^\P{Cc}\n\r\t]/gu, '\uFFFD')
}
