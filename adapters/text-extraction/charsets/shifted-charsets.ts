import type { StreamDecoder } from './stream-decoder.js'

/** A seven-bit encoding that switches to a table of two bytes and back. Its table is that of an eight-bit encoding. */
interface Shifts {
  /** The encoding whose bytes differ only by the highest bit. */
  readonly table: string
  /** The sequences that switch to the table and back. */
  readonly into: string
  readonly out: string
  /** Other sequences, with the text that each of them stands for. */
  readonly others: Readonly<Record<string, string>>
}

const SHIFTS: Readonly<Record<string, Shifts>> = {
  'iso-2022-kr': { table: 'euc-kr', into: '\x0e', out: '\x0f', others: { '\x1b$)C': '' } },
  'hz-gb-2312': { table: 'gb18030', into: '~{', out: '~}', others: { '~~': '~', '~\n': '', '~\r\n': '' } },
}

const LONGEST_SEQUENCE = 4

function highBits(pair: string): string {
  return String.fromCharCode(...Array.from(pair, (character) => character.charCodeAt(0) | 0x80))
}

/** A decoder for ISO-2022-KR or HZ. No library decodes these. @returns `undefined` for other encodings */
export function shiftedDecoder(name: string): StreamDecoder | undefined {
  const shifts = SHIFTS[name.toLowerCase()]
  if (shifts === undefined) return undefined
  const { table, into, out, others } = shifts
  const sequences = [into, out, ...Object.keys(others)].sort((first, second) => second.length - first.length)
  const decoder = new TextDecoder(table)
  let isShifted = false
  /** The end of the last bytes, which may be the beginning of a sequence. */
  let rest = ''

  const convert = (text: string, isEnd: boolean): string => {
    let converted = ''
    let index = 0
    while (index < text.length) {
      const sequence = sequences.find((known) => text.startsWith(known, index))
      if (sequence !== undefined) {
        if (sequence === into) isShifted = true
        else if (sequence === out) isShifted = false
        else converted += others[sequence] ?? ''
        index += sequence.length
        continue
      }
      const tail = text.slice(index, index + LONGEST_SEQUENCE)
      const isPair = isShifted && /^[!-~]/.test(tail)
      const isCut = sequences.some((known) => known.startsWith(tail)) || (isPair && tail.length < 2)
      if (isCut && !isEnd) break
      if (isPair) {
        converted += highBits(tail.slice(0, 2))
        index += 2
        continue
      }
      // The end of a line also switches back.
      if (tail.startsWith('\n')) isShifted = false
      converted += tail.charAt(0)
      index += 1
    }
    rest = text.slice(index)
    return converted
  }
  return {
    write: (bytes) =>
      decoder.decode(Buffer.from(convert(rest + Buffer.from(bytes).toString('latin1'), false), 'latin1'), {
        stream: true,
      }),
    end: () => decoder.decode(Buffer.from(convert(rest, true), 'latin1')),
  }
}
