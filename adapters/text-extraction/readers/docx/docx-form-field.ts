import { type Attributes, isOn } from './docx-xml.js'

/** A hostile file may have any number of entries. */
const MAX_ENTRIES = 1_000

/** The state of old form fields: check boxes and lists, whose state is no text in the file. */
export class FormField {
  #isBox = false
  /** The state of the check box, and the one in which it began. */
  #isChecked: boolean | undefined
  #isUsuallyChecked = false
  #entries: string[] = []
  /** The chosen entry, and the one that was chosen at the beginning. */
  #chosen: number | undefined
  #usuallyChosen = 0

  open(name: string, parent: string | undefined, attribute: Attributes): void {
    const value = attribute('val')
    if (name === 'w:checkBox') this.#isBox = true
    else if (parent === 'w:checkBox' && name === 'w:checked') this.#isChecked = isOn(value)
    else if (parent === 'w:checkBox' && name === 'w:default') this.#isUsuallyChecked = isOn(value)
    else if (parent !== 'w:ddList') return
    else if (name === 'w:result') this.#chosen = Number(value)
    else if (name === 'w:default') this.#usuallyChosen = Number(value)
    else if (name === 'w:listEntry' && this.#entries.length < MAX_ENTRIES) this.#entries.push(value ?? '')
  }

  /** The text of the field that ends, as Word shows it. @returns '' for a field of another kind */
  take(): string {
    const entry = this.#entries[this.#chosen ?? this.#usuallyChosen] ?? ''
    const text = this.#isBox ? ((this.#isChecked ?? this.#isUsuallyChecked) ? '☒' : '☐') : entry
    this.#isBox = false
    this.#isChecked = undefined
    this.#isUsuallyChecked = false
    this.#entries = []
    this.#chosen = undefined
    this.#usuallyChosen = 0
    return text
  }
}
