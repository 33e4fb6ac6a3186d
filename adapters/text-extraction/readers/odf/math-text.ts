import type { XmlVisitor } from '../docx/docx-xml.js'

/** Elements whose text is shown. */
const TOKENS = new Set(['mi', 'mn', 'mo', 'mtext', 'ms'])
/** A hostile formula may be nested more deeply than anything that is read. */
const MAX_CHARACTERS = 10_000

/** Turns MathML into one line, as people type formulas: `(a+b)/2`, `x^2`, `√(x)`. */
export class MathText implements XmlVisitor {
  /** The texts of the children of each open element. */
  readonly #open: string[][] = [[]]
  #text = ''

  open(): void {
    this.#open.push([])
    this.#text = ''
  }

  close(name: string): void {
    const local = name.slice(name.indexOf(':') + 1)
    const parts = this.#open.pop() ?? []
    const text = TOKENS.has(local) ? this.#text.trim() : join(local, parts)
    this.#text = ''
    this.#open.at(-1)?.push(text.slice(0, MAX_CHARACTERS))
  }

  text(text: string): void {
    if (this.#text.length < MAX_CHARACTERS) this.#text += text
  }

  /** The formula that was read. */
  get formula(): string {
    return (this.#open[0] ?? []).join('').replaceAll(/\s+/g, ' ').trim()
  }
}

function join(name: string, parts: readonly string[]): string {
  const [first = '', second = '', third = ''] = parts
  switch (name) {
    case 'mfrac':
      return `${inParentheses(first)}/${inParentheses(second)}`
    case 'msup':
    case 'mover':
      return `${first}^${inParentheses(second)}`
    case 'msub':
    case 'munder':
      return `${first}_${inParentheses(second)}`
    case 'msubsup':
    case 'munderover':
      return `${first}_${inParentheses(second)}^${inParentheses(third)}`
    case 'msqrt':
      return `√(${parts.join('')})`
    case 'mroot':
      return `√(${first})`
    case 'mtd':
      return `${parts.join('')} `
    case 'mtr':
      return `${parts.join('').trim()}; `
    case 'annotation':
    case 'annotation-xml':
      return ''
    default:
      return parts.join('')
  }
}

/** Puts parentheses around a term of several parts, such as the sum in a numerator. */
function inParentheses(text: string): string {
  return /^[\p{L}\p{M}\p{N}.,]*$/u.test(text) ? text : `(${text})`
}
