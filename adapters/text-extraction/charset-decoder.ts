import iconv from 'iconv-lite'
import { ExtractionError } from '../../src/ports/index.js'

/** Turns bytes into text piece by piece; keeps back what a character still lacks. */
export interface StreamDecoder {
  write(bytes: Uint8Array): string
  end(): string
}

/** Names of the detector that neither decoder knows under the same name. */
const ALIASES: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  cp874: 'windows-874',
  maccyrillic: 'x-mac-cyrillic',
  macroman: 'macintosh',
  ibm855: 'cp855',
  ptcp154: 'pt154',
  kz1048: 'rk1048',
}

/**
 * A decoder for an encoding.
 * @throws ExtractionError `ERR_UNDECODABLE_TEXT` where there is none
 */
export function decoderFor(name: string): StreamDecoder {
  const label = ALIASES[name.toLowerCase()] ?? name
  return webDecoder(label) ?? iconvDecoder(label) ?? refuse(name)
}

function webDecoder(label: string): StreamDecoder | undefined {
  // iso-2022-kr and hz are labels of an encoding that decodes to nothing.
  if (/^(iso-2022-(kr|cn)|hz)/i.test(label)) return undefined
  try {
    const decoder = new TextDecoder(label)
    return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() }
  } catch {
    return undefined
  }
}

function iconvDecoder(label: string): StreamDecoder | undefined {
  if (!iconv.encodingExists(label)) return undefined
  const decoder = iconv.getDecoder(label)
  return { write: (bytes) => decoder.write(Buffer.from(bytes)), end: () => decoder.end() ?? '' }
}

function refuse(name: string): never {
  throw new ExtractionError(
    'ERR_UNDECODABLE_TEXT',
    `The text is encoded in ${name}, which cannot be decoded here: convert it to UTF-8`,
  )
}
