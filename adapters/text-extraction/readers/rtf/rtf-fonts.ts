/** The encodings of the character sets of fonts. */
const CHARSETS: Readonly<Record<number, string>> = {
  77: 'macintosh',
  78: 'shift_jis',
  80: 'gbk',
  81: 'big5',
  128: 'shift_jis',
  129: 'cp949',
  130: 'johab',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
  254: 'cp437',
  255: 'cp850',
}
const SYMBOL_CHARSET = 2
/** The names that some code pages have for decoders. */
const CODE_PAGES: Readonly<Record<number, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'cp949',
  950: 'big5',
  1361: 'johab',
  10_000: 'macintosh',
  65_001: 'utf-8',
}
/** A hostile file may declare any number of fonts. */
const MAX_FONTS = 10_000
const MAX_NAME_CHARACTERS = 200

/** A font, as far as it tells what bytes mean. */
interface Font {
  name: string
  encoding: string | undefined
  isSymbol: boolean
}

/** The fonts of a file and its encoding. */
export class RtfFonts {
  /** The encoding of texts in fonts without one of their own. */
  encoding = 'windows-1252'
  usual: number | undefined
  readonly #fonts = new Map<number, Font>()
  #font: Font | undefined

  /** Begins the description of a font. */
  open(id: number): void {
    this.#font = { name: '', encoding: undefined, isSymbol: false }
    if (this.#fonts.size < MAX_FONTS) this.#fonts.set(id, this.#font)
  }

  setCharset(charset: number): void {
    if (this.#font === undefined) return
    this.#font.isSymbol = charset === SYMBOL_CHARSET
    this.#font.encoding ??= CHARSETS[charset]
  }

  setCodePage(page: number): void {
    if (this.#font !== undefined && page !== 0) this.#font.encoding = codePage(page)
  }

  addName(text: string): void {
    if (this.#font !== undefined && this.#font.name.length < MAX_NAME_CHARACTERS) this.#font.name += text
  }

  encodingOf(font: number | undefined): string {
    return this.#fonts.get(font ?? this.usual ?? -1)?.encoding ?? this.encoding
  }

  /** The name of a font. The name of a symbol font also tells its letters. */
  nameOf(font: number | undefined): string | undefined {
    return this.#fonts
      .get(font ?? this.usual ?? -1)
      ?.name.replace(/;[^]*/, '')
      .trim()
  }

  isSymbol(font: number | undefined): boolean {
    return this.#fonts.get(font ?? this.usual ?? -1)?.isSymbol === true
  }
}

/** The name of a code page for the decoders. */
export function codePage(page: number): string {
  return CODE_PAGES[page] ?? (page >= 1250 && page <= 1258 ? `windows-${page}` : `cp${page}`)
}
