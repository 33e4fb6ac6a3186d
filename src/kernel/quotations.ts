import { sha256Hex } from './crypto.js'

const CODE_LENGTH = 16
/** A code of the right length, for counting tokens before the quoted texts are known. */
export const ANY_CODE = 'abcdefghijklmnop'

/** Puts a text of a document between tags that it cannot forge. @param code a code of {@link codeFor} */
export function quote(tag: string, code: string, attributes: Readonly<Record<string, unknown>>, text: string): string {
  const opening = [
    `${tag}-${code}`,
    ...Object.entries(attributes).map(([name, value]) => `${name}="${escapeLine(String(value))}"`),
  ]
  return `<${opening.join(' ')}>\n${text}\n</${tag}-${code}>`
}

/** Names and headings come from documents too: none ends its line, its attribute or its tag. */
export function escapeLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

/**
 * Makes a code that is not in a text. It comes from a hash of the text, so that the same call gives the same code, and a
 * document that knew its code would have another one. It never rejects.
 */
export async function codeFor(text: string): Promise<string> {
  const lower = text.toLowerCase()
  for (let attempt = 0; ; attempt += 1) {
    const code = lettersOf(await sha256Hex(`${attempt}:${text}`))
    if (!lower.includes(code)) return code
  }
}

/** @returns letters, because most tokenizers read a run of letters in fewer tokens than one of digits */
function lettersOf(hex: string): string {
  return hex.slice(0, CODE_LENGTH).replaceAll(/./g, (digit) => ANY_CODE.charAt(Number.parseInt(digit, 16)))
}
