import type { StreamDecoder } from './stream-decoder.js'

/** Encodings of seven bits that switch to a table of two bytes and back; their tables are those of eight bits. */
interface Shifts {
  /** The encoding whose bytes are the same but for the highest bit. */
  readonly table: string
  /** Byte sequences that begin and end what is in the table. */
  readonly into: string
  readonly out: string
  /** Byte sequences that stand for others. */
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

/** A decoder for ISO-2022-KR or HZ, which no library decodes; undefined for others. */
export function shiftedDecoder(name: string): StreamDecoder | undefined {
  const shifts = SHIFTS[name.toLowerCase()]
  if (shifts === undefined) return undefined
  const { table, into, out, others } = shifts
  const sequences = [into, out, ...Object.keys(others)].sort((one, other) => other.length - one.length)
  const decoder = new TextDecoder(table)
  let isShifted = false
  /** What may be the beginning of a sequence. */
  let rest = ''

  const convert = (text: string, isEnd: boolean): string => {
    let converted = ''
    let at = 0
    while (at < text.length) {
      const sequence = sequences.find((known) => text.startsWith(known, at))
      if (sequence !== undefined) {
        if (sequence === into) isShifted = true
        else if (sequence === out) isShifted = false
        else converted += others[sequence] ?? ''
        at += sequence.length
        continue
      }
      const tail = text.slice(at, at + LONGEST_SEQUENCE)
      const isPair = isShifted && /^[!-~]/.test(tail)
      const isCut = sequences.some((known) => known.startsWith(tail)) || (isPair && tail.length < 2)
      if (isCut && !isEnd) break
      if (isPair) {
        converted += highBits(tail.slice(0, 2))
        at += 2
        continue
      }
      // A line's end ends the table, too.
      if (tail.startsWith('\n')) isShifted = false
      converted += tail.charAt(0)
      at += 1
    }
    rest = text.slice(at)
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
