// cspell:ignore macgreek macthai macturkish
import { USUAL_ENCODING } from './rtf-bytes.js'

/** The encodings of the character sets of fonts. */
const CHARSETS: Readonly<Record<number, string>> = {
  77: 'macintosh',
  78: 'shift_jis',
  79: 'cp949',
  80: 'gbk',
  81: 'big5',
  // No decoder knows the first two: their text is read as western, with a warning.
  83: 'x-mac-hebrew',
  84: 'x-mac-arabic',
  85: 'macgreek',
  86: 'macturkish',
  87: 'macthai',
  88: 'maccenteuro',
  89: 'maccyrillic',
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
  10_001: 'shift_jis',
  10_002: 'big5',
  10_003: 'cp949',
  10_006: 'macgreek',
  10_007: 'maccyrillic',
  10_008: 'gbk',
  10_021: 'macthai',
  10_029: 'maccenteuro',
  10_081: 'macturkish',
  20_127: 'us-ascii',
  20_932: 'euc-jp',
  50_220: 'iso-2022-jp',
  50_221: 'iso-2022-jp',
  50_222: 'iso-2022-jp',
  51_932: 'euc-jp',
  51_949: 'euc-kr',
  52_936: 'hz-gb-2312',
  54_936: 'gb18030',
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
  encoding: string = USUAL_ENCODING
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
