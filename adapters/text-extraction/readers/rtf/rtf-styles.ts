import { headingLevelOf } from '../docx/docx-styles.js'

/** A style of paragraphs, as far as it tells headings. */
interface Style {
  name: string
  basedOn: number | undefined
  /** 0 for the outermost headings; 9 for text. */
  outline: number | undefined
}

const MAX_STEPS = 20
const MAX_STYLES = 10_000
const MAX_NAME_CHARACTERS = 200
/** The outline level of text. */
const TEXT_LEVEL = 9

/** The styles of paragraphs of a file. */
export class RtfStyles {
  readonly #styles = new Map<number, Style>()
  #style: Style = newStyle()

  /** Begins the description of a style. It is that of paragraphs without a name of its own unless {@link setId} follows. */
  open(): void {
    this.#style = newStyle()
    this.setId(0)
  }

  setId(id: number): void {
    if (this.#styles.get(0) === this.#style) this.#styles.delete(0)
    if (this.#styles.size < MAX_STYLES) this.#styles.set(id, this.#style)
  }

  setBase(id: number): void {
    this.#style.basedOn = id
  }

  setOutline(level: number): void {
    this.#style.outline = level
  }

  addName(text: string): void {
    if (this.#style.name.length < MAX_NAME_CHARACTERS) this.#style.name += text
  }

  /** The level of the headings with this style, from 1; `undefined` if its paragraphs are no headings. */
  level(id: number): number | undefined {
    let next: number | undefined = id
    for (let steps = 0; next !== undefined && steps < MAX_STEPS; steps += 1) {
      const style: Style | undefined = this.#styles.get(next)
      if (style?.outline !== undefined) return outlineLevel(style.outline)
      const level = headingLevelOf(style?.name.replace(/;[^]*/, '').trim() ?? '')
      if (level !== undefined) return level
      next = style?.basedOn === next ? undefined : style?.basedOn
    }
    return undefined
  }
}

/** @returns `undefined` for text */
export function outlineLevel(outline: number): number | undefined {
  return outline >= 0 && outline < TEXT_LEVEL ? outline + 1 : undefined
}

function newStyle(): Style {
  return { name: '', basedOn: undefined, outline: undefined }
}
