/** White space between chunks as runs: a character, or `L` for CR LF, and its count if that is not 1. */
const RUN = /([^\d])(\d*)/g
const CRLF = 'L'
/** White space with more runs is not kept: no reader has typed it. */
const MAX_RUNS = 4_096
/** Longest text that {@link gapParts} yields at once. */
const MAX_PART_CHARACTERS = 65_536

interface Run {
  unit: string
  count: number
}

/** Records the white space between the chunks of a text, in memory that does not grow with it. */
export class Gaps {
  /** The text that may still be white space between chunks, and its offset in the whole text. */
  #text = ''
  #offset = 0
  /** Offset in the whole text up to which it is in chunks, or recorded. */
  #covered = 0
  #runs: Run[] = []
  #isTooMixed = false

  /** Receives the text in its order, before the chunker does. */
  add(text: string): void {
    this.#text += text
  }

  /**
   * The white space in front of a chunk that no earlier chunk has.
   * @returns null if it is too mixed to be kept
   */
  before({ start, text }: { readonly start: number; readonly text: string }): string | null {
    this.#record(start)
    const gap = this.#take()
    this.#covered = Math.max(this.#covered, start + text.length)
    return gap
  }

  /** No later chunk begins before this offset in the whole text. */
  settle(offset: number): void {
    this.#record(offset)
    const settled = Math.max(this.#offset, Math.min(offset, this.#offset + this.#text.length))
    this.#text = this.#text.slice(settled - this.#offset)
    this.#offset = settled
  }

  /** The white space after the last chunk. @returns null if it is too mixed to be kept */
  end(): string | null {
    this.#record(this.#offset + this.#text.length)
    return this.#take()
  }

  #record(end: number): void {
    if (end <= this.#covered) return
    const gap = this.#text.slice(this.#covered - this.#offset, end - this.#offset)
    for (let index = 0; index < gap.length && !this.#isTooMixed; index += 1) this.#push(gap.charAt(index))
    this.#covered = end
  }

  #push(character: string): void {
    let unit = character
    let last = this.#runs.at(-1)
    if (unit === '\n' && last?.unit === '\r') {
      unit = CRLF
      last.count -= 1
      if (last.count === 0) this.#runs.pop()
      last = this.#runs.at(-1)
    }
    if (last?.unit === unit) last.count += 1
    else if (this.#runs.length < MAX_RUNS) this.#runs.push({ unit, count: 1 })
    else this.#isTooMixed = true
  }

  #take(): string | null {
    const gap = this.#runs.map(({ unit, count }) => (count === 1 ? unit : `${unit}${count}`)).join('')
    const isKept = !this.#isTooMixed
    this.#runs = []
    this.#isTooMixed = false
    return isKept ? gap : null
  }
}

/** The number of characters of recorded white space. */
export function gapLength(gap: string): number {
  let length = 0
  for (const { unit, count } of runsOf(gap)) length += unit.length * count
  return length
}

/** A part of recorded white space, in pieces of at most 65,536 characters. */
export function* gapParts(gap: string, from: number, to: number): Generator<string> {
  let position = 0
  for (const { unit, count } of runsOf(gap)) {
    const end = position + unit.length * count
    for (let start = Math.max(from, position); start < Math.min(to, end); ) {
      const partEnd = Math.min(to, end, start + MAX_PART_CHARACTERS)
      // The first unit may be cut in its middle.
      const skipped = (start - position) % unit.length
      yield unit.repeat(Math.ceil((skipped + partEnd - start) / unit.length)).slice(skipped, skipped + partEnd - start)
      start = partEnd
    }
    position = end
  }
}

function* runsOf(gap: string): Generator<Run> {
  for (const { 1: unit = '', 2: count = '' } of gap.matchAll(RUN)) {
    yield { unit: unit === CRLF ? '\r\n' : unit, count: count === '' ? 1 : Number(count) }
  }
}
