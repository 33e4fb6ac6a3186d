import type { Attributes } from '../docx/docx-xml.js'

/** Receives the text of a formula. */
interface FormulaOutput {
  write(text: string): void
  /** Keeps the text that is written from here on separate, until {@link endCapture}. */
  capture(): void
  endCapture(): string
}

/** Parts that are captured, and the text that each of them becomes. */
const PARTS: Readonly<Record<string, (text: string) => string>> = {
  'm:num': (text) => inParentheses(text),
  'm:den': (text) => `/${inParentheses(text)}`,
  'm:sup': (text) => (text === '' ? '' : `^${inParentheses(text)}`),
  'm:sub': (text) => (text === '' ? '' : `_${inParentheses(text)}`),
  'm:mr': (text) => `${text.trim()}; `,
}

interface Brackets {
  begin: string
  end: string
  elements: number
}

/** Formulas in one line, as people type them: `(a+b)/2`, `x^2`, `√(x)`. */
export class Formula {
  readonly #brackets: Brackets[] = []
  #operator = ''

  constructor(private readonly out: FormulaOutput) {}

  open(name: string, parent: string | undefined, attribute: Attributes): void {
    const value = (): string => attribute('val') ?? ''
    if (name in PARTS) this.out.capture()
    if (name === 'm:d') this.#brackets.push({ begin: '(', end: ')', elements: 0 })
    else if (name === 'm:nary') this.#operator = '∫'
    else if (name === 'm:chr' && parent === 'm:naryPr') this.#operator = value()
    const brackets = this.#brackets.at(-1)
    if (brackets !== undefined && name === 'm:begChr') brackets.begin = value()
    if (brackets !== undefined && name === 'm:endChr') brackets.end = value()
    if (name !== 'm:e') return
    if (parent === 'm:rad') this.out.write('√(')
    else if (parent === 'm:mr') this.out.write(' ')
    else if (parent === 'm:d' && brackets !== undefined) {
      this.out.write(brackets.elements === 0 ? brackets.begin : '|')
      brackets.elements += 1
    }
  }

  close(name: string, parent: string | undefined): void {
    if (name === 'm:naryPr') this.out.write(this.#operator)
    else if (name === 'm:e' && parent === 'm:rad') this.out.write(')')
    else if (name === 'm:d') this.out.write(this.#brackets.pop()?.end ?? '')
    const part = PARTS[name]
    if (part !== undefined) this.out.write(part(this.out.endCapture()))
  }
}

/** Puts parentheses around a term of several parts, such as the sum in a numerator. */
function inParentheses(text: string): string {
  return /^[\p{L}\p{M}\p{N}.,]*$/u.test(text) ? text : `(${text})`
}
