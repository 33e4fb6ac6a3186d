import { codePoint } from 'dingbat-to-unicode'

/** Fonts of pictures have their characters here. */
const PRIVATE_USE = /[\uF020-\uF0FF]/g

/**
 * The character that a font of pictures (Symbol, Wingdings) shows for a code.
 * @param code in hexadecimal, as Word writes it; with or without 0xF000
 */
export function symbol(font: string | undefined, code: string | undefined): string {
  const value = Number.parseInt(code ?? '', 16)
  if (!Number.isInteger(value) || value < 0x20 || value > 0x10ffff) return ''
  return known(font, value) ?? String.fromCodePoint(value)
}

/** A run's text with the characters that its font shows. */
export function withSymbols(text: string, font: string | undefined): string {
  return text.replaceAll(PRIVATE_USE, (character) => known(font, character.charCodeAt(0)) ?? character)
}

function known(font: string | undefined, value: number): string | undefined {
  if (font === undefined) return undefined
  return codePoint(font, value >= 0xf000 && value <= 0xf0ff ? value - 0xf000 : value)?.string
}
