/**
 * Characters for the shapes of glyphs: Latin and Hebrew ligatures, Arabic forms, vertical punctuation, and radicals
 * that stand for ideographs.
 */
const SHAPES =
  /[\uFB00-\uFB06\uFB13-\uFB17\uFB1D-\uFDCF\uFDF0-\uFDFF\uFE10-\uFE19\uFE30-\uFE4F\uFE70-\uFEFC\u2E80-\u2FDF]+/g
/** Small capitals and figures that Adobe encoded before Unicode had characters for them. */
const SMALL_SHAPES = /[\uF721-\uF7FE]/g
/** The characters for Adobe's codes from U+F8E8 on: marks, and pieces of large brackets. */
const PIECES = '®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⌠⎞⎟⎠⎤⎥⎦⎫⎬⎭'
/** Bullets, ticks and arrows of Symbol and Wingdings, as word processors write them. */
const SYMBOLS: Readonly<Record<string, string>> = {
  '\uF0B7': '•',
  '\uF06C': '●',
  '\uF06E': '■',
  '\uF06F': '☐',
  '\uF071': '❑',
  '\uF076': '❖',
  '\uF0A7': '▪',
  '\uF0A8': '◻',
  '\uF0D8': '➢',
  '\uF0E0': '→',
  '\uF0FC': '✓',
  '\uF0FE': '☑',
}
/** Accents that are drawn before their letter, as in old TeX fonts. */
const ACCENTS: Readonly<Record<string, string>> = {
  '¨': '\u0308',
  ˆ: '\u0302',
  '˜': '\u0303',
  '¯': '\u0304',
  '˘': '\u0306',
  '˙': '\u0307',
  '˚': '\u030A',
  '˝': '\u030B',
  ˇ: '\u030C',
  '¸': '\u0327',
}

/** Replaces the shapes of fonts in the text of a page by ordinary characters. */
export function plainCharacters(text: string): string {
  return (
    text
      .replace(SHAPES, (shapes) => shapes.normalize('NFKC'))
      .replace(SMALL_SHAPES, (shape) => String.fromCharCode(shape.charCodeAt(0) - 0xf700))
      .replace(/[\uF8E8-\uF8FE]/g, (piece) => PIECES[piece.charCodeAt(0) - 0xf8e8] ?? piece)
      .replace(/[\uF06C-\uF0FE]/g, (symbol) => SYMBOLS[symbol] ?? symbol)
      // A tilde after a slash belongs to a URL.
      .replace(/(?<![/~])([¨ˆ˜¯˘˙˚˝ˇ¸])(\p{L})/gu, (_, accent: string, letter: string) => {
        return (letter === 'ı' ? 'i' : letter) + (ACCENTS[accent] ?? '')
      })
      // An acute after a single letter is an apostrophe.
      .replace(/(?<!(?<!\p{L})\p{L})´([aeiouyıAEIOUY])/gu, (_, letter: string) => {
        return `${letter === 'ı' ? 'i' : letter}\u0301`
      })
      .replace(/(?<=[\p{L}\p{M}]) (?=\p{Mn})/gu, '')
      // If characters share a glyph, the mark may come first.
      .replace(/(?<![\p{L}\p{M}])(\p{Mn}+)([\p{Script=Hebrew}\p{Script=Arabic}])/gu, '$2$1')
      // Fonts that number their characters from 1 write the last blank of a line in this way.
      .replace(/(?<![\u0001-\u0008\u000E-\u001F])[\u0001-\u0008\u000E-\u001F]+$/gm, '')
      .normalize('NFC')
  )
}

/**
 * The share of a text, 0 to 1, that has no meaning. Fonts without a Unicode map cause it. A private symbol that stands
 * alone is a picture and does not count.
 */
export function garbledShare(text: string): number {
  const pictures = text.match(/(?<!\S)\p{Co}(?!\S)/gu)?.length ?? 0
  const garbled = text.match(/[\p{Co}\p{Cn}\uFFFD\u0001-\u0008\u000E-\u001F\u007F-\u009F]/gu)?.length ?? 0
  return text.length === 0 ? 0 : (garbled - pictures) / text.length
}
