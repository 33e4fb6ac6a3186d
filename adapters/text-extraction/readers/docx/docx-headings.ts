import type { DocxPackage } from './docx-package.js'
import { type Attributes, walkXml } from './docx-xml.js'

/** A style of paragraphs, as far as it tells headings. */
interface Style {
  name: string
  basedOn: string | undefined
  /** 0 for the outermost headings; 9 for text. */
  outlineLevel: number | undefined
}

/** Styles are based on each other through few steps. A damaged file may have a circle. */
const MAX_STEPS = 20
/** A hostile file may declare any number of styles. */
const MAX_STYLES = 10_000
/** The outline level of text. */
const TEXT_LEVEL = 9

/**
 * The names of headings without their number. Word stores the English names in all languages, and ids in the language of
 * the user. Other programs store names in that language.
 */
const NAMES =
  /^(?:heading|head|titre|(?:ü|u|ue)?berschrift|t[ií]tulo|titolo|encabezado|kop|rubrik|overskrift|otsikko|nagł[óo]wek|nadpis|c[íi]msor|ba[şs]l[ıi]k|заголовок|επικεφαλίδα|标题|標題|見出し|제목)[ _-]?([1-9])$/i

/** The heading styles of a document. */
export class DocxHeadings {
  readonly #levels = new Map<string, number | undefined>()

  private constructor(private readonly styles: ReadonlyMap<string, Style>) {}

  /** @param part the part with the styles. Without it, the ids of styles tell headings */
  static async read(file: DocxPackage, part: string | undefined): Promise<DocxHeadings> {
    const styles = new Map<string, Style>()
    let style: Style | undefined
    const visitor = {
      open(element: string, attribute: Attributes): void {
        const value = attribute('val') ?? ''
        if (element === 'w:style') {
          style = { name: '', basedOn: undefined, outlineLevel: undefined }
          if (styles.size < MAX_STYLES) styles.set(attribute('styleId') ?? '', style)
        } else if (style === undefined) return
        else if (element === 'w:name') style.name = value
        else if (element === 'w:basedOn') style.basedOn = value
        else if (element === 'w:outlineLvl') style.outlineLevel = outlineLevel(value)
      },
      close: () => undefined,
      text: () => undefined,
    }
    try {
      if (part !== undefined) for await (const _ of walkXml(file.bytes(part), visitor, part));
    } catch {
      // Without its styles a document has the same text.
    }
    return new DocxHeadings(styles)
  }

  /** True if an empty line precedes the paragraphs of this style. */
  isHeading(id: string): boolean {
    const { name = '', outlineLevel: level = TEXT_LEVEL } = this.styles.get(id) ?? {}
    return level !== TEXT_LEVEL || /^(heading \d|title)$/i.test(name) || /^(heading\d|title)$/i.test(id)
  }

  /** The level of the headings with this style, from 1; `undefined` if its paragraphs are no headings. */
  level(id: string): number | undefined {
    if (!this.#levels.has(id)) this.#levels.set(id, this.#find(id, 0))
    return this.#levels.get(id)
  }

  #find(id: string, steps: number): number | undefined {
    const style = this.styles.get(id)
    if (style?.outlineLevel !== undefined) return headingLevel(style.outlineLevel)
    const name = style?.name ?? ''
    if (/^title$/i.test(name) || /^title$/i.test(id)) return 1
    const number = NAMES.exec(name)?.[1] ?? NAMES.exec(id)?.[1]
    if (number !== undefined) return Number(number)
    return style?.basedOn === undefined || steps >= MAX_STEPS ? undefined : this.#find(style.basedOn, steps + 1)
  }
}

/** The level in an attribute. A value that is no level means text. */
export function outlineLevel(value: string | undefined): number {
  const level = Number(value)
  return value !== undefined && value !== '' && Number.isInteger(level) && level >= 0
    ? Math.min(TEXT_LEVEL, level)
    : TEXT_LEVEL
}

/** @returns `undefined` for text */
export function headingLevel(outline: number): number | undefined {
  return outline >= TEXT_LEVEL ? undefined : outline + 1
}
