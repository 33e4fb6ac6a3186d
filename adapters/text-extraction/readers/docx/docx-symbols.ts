import { codePoint } from 'dingbat-to-unicode'

/** The codes of characters in symbol fonts. */
const PRIVATE_USE = /[\uF020-\uF0FF]/g

/**
 * The character that a symbol font (Symbol, Wingdings) shows for a code.
 * @param code the hexadecimal code in the file, with or without 0xF000
 */
export function symbol(font: string | undefined, code: string | undefined): string {
  const value = Number.parseInt(code ?? '', 16)
  if (!Number.isInteger(value) || value < 0x20 || value > 0x10ffff) return ''
  return symbolOf(font, value) ?? String.fromCodePoint(value)
}

/** Replaces symbol codes in a text by the characters that the font shows. */
export function withSymbols(text: string, font: string | undefined): string {
  return text.replaceAll(PRIVATE_USE, (character) => symbolOf(font, character.charCodeAt(0)) ?? character)
}

function symbolOf(font: string | undefined, value: number): string | undefined {
  if (font === undefined) return undefined
  return codePoint(font, value >= 0xf000 && value <= 0xf0ff ? value - 0xf000 : value)?.string
}
