import type { DocxPackage } from './docx-package.js'
import { type Attributes, walkXml } from './docx-xml.js'

/** The number of a paragraph: its list, and its level in the list from 0. */
export interface ListPlace {
  readonly list: string | undefined
  readonly level: number | undefined
}

/** A style of paragraphs, as far as it tells headings and numbers. */
interface Style {
  name: string
  basedOn: string | undefined
  /** 0 for the outermost headings; 9 for text. */
  outlineLevel: number | undefined
  list: string | undefined
  listLevel: number | undefined
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

/** The styles of a document, as far as they tell headings and automatic numbers. */
export class DocxStyles {
  readonly #levels = new Map<string, number | undefined>()

  private constructor(
    private readonly styles: ReadonlyMap<string, Style>,
    /** The style of paragraphs that name none. */
    readonly usualStyle: string | undefined,
  ) {}

  /** @param part the part with the styles. Without it, the ids of styles tell headings */
  static async read(file: DocxPackage, part: string | undefined): Promise<DocxStyles> {
    const styles = new Map<string, Style>()
    let style: Style | undefined
    let usualStyle: string | undefined
    let hiddenDepth = 0
    const visitor = {
      open(element: string, attribute: Attributes): void {
        const value = attribute('val') ?? ''
        // The properties before a change.
        if (hiddenDepth > 0 || element.endsWith('Change')) hiddenDepth += 1
        else if (element === 'w:style') {
          const id = attribute('styleId') ?? ''
          style = { name: '', basedOn: undefined, outlineLevel: undefined, list: undefined, listLevel: undefined }
          if (styles.size < MAX_STYLES) styles.set(id, style)
          if (attribute('type') === 'paragraph' && /^(?:1|true|on)$/.test(attribute('default') ?? '')) usualStyle ??= id
        } else if (style === undefined) return
        else if (element === 'w:numId') style.list = value
        else if (element === 'w:ilvl') style.listLevel = Number(value)
        else if (element === 'w:name') style.name = value
        else if (element === 'w:basedOn') style.basedOn = value
        else if (element === 'w:outlineLvl') style.outlineLevel = outlineLevel(value)
      },
      close(): void {
        if (hiddenDepth > 0) hiddenDepth -= 1
      },
      text: () => undefined,
    }
    try {
      if (part !== undefined) for await (const _ of walkXml(file.bytes(part), visitor, part));
    } catch {
      // Without its styles a document has the same text.
    }
    return new DocxStyles(styles, usualStyle)
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

  /**
   * The list of the paragraphs with this style, and their level in it.
   * @param levelOf the level that a list has for a style, which counts more than the one of the style
   */
  listPlace(id: string, levelOf: (list: string, style: string) => number | undefined): ListPlace {
    const ids = this.#chainOf(id)
    const list = ids.map((each) => this.styles.get(each)?.list).find((each) => each !== undefined)
    if (list === undefined) return { list, level: undefined }
    const linked = ids.map((each) => levelOf(list, each)).find((each) => each !== undefined)
    const own = ids.map((each) => this.styles.get(each)?.listLevel).find((each) => each !== undefined)
    return { list, level: linked ?? own }
  }

  /** A style and those that it is based on. */
  #chainOf(id: string): readonly string[] {
    const ids: string[] = []
    for (let next: string | undefined = id; next !== undefined && ids.length <= MAX_STEPS; ) {
      ids.push(next)
      next = this.styles.get(next)?.basedOn
    }
    return ids
  }

  #find(id: string, steps: number): number | undefined {
    const style = this.styles.get(id)
    if (style?.outlineLevel !== undefined) return headingLevel(style.outlineLevel)
    const level = headingLevelOf(style?.name ?? '') ?? headingLevelOf(id)
    if (level !== undefined) return level
    return style?.basedOn === undefined || steps >= MAX_STEPS ? undefined : this.#find(style.basedOn, steps + 1)
  }
}

/** The level of headings that the name of a style says. @returns `undefined` for another style */
export function headingLevelOf(name: string): number | undefined {
  const number = NAMES.exec(name)?.[1]
  return /^title$/i.test(name) ? 1 : number === undefined ? undefined : Number(number)
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
