import iconv from 'iconv-lite'
import { ExtractionError } from '../../../src/ports/index.js'
import { ownDecoder } from './own-decoders.js'

/** Turns bytes into text piece by piece. It keeps the bytes of an incomplete character for the next piece. */
export interface StreamDecoder {
  write(bytes: Uint8Array): string
  end(): string
}

/** Names of the detector, with the names of decoders for the same encoding or a superset. */
const ALIASES: Readonly<Record<string, string>> = {
  cp874: 'windows-874',
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  ibm855: 'cp855',
  ibm866: 'cp866',
  'iso-8859-1': 'windows-1252',
  'iso-8859-9': 'windows-1254',
  maccyrillic: 'x-mac-cyrillic',
  maclatin2: 'maccenteuro',
  macroman: 'macintosh',
}

/** The name of an encoding for the decoders. */
export function canonicalName(name: string): string {
  const lower = name.toLowerCase().replace(/^iso8859/, 'iso-8859')
  return ALIASES[lower] ?? lower
}

/** @throws ExtractionError `ERR_UNDECODABLE_TEXT` if no decoder exists */
export function decoderFor(name: string): StreamDecoder {
  const label = canonicalName(name)
  const decoder = ownDecoder(label) ?? webDecoder(label) ?? iconvDecoder(label)
  if (decoder !== undefined) return decoder
  throw new ExtractionError(
    'ERR_UNDECODABLE_TEXT',
    `The text is encoded in ${name}, which is not supported: convert it to UTF-8`,
  )
}

/** Decodes a whole text at once. */
export function decodeWhole(name: string, bytes: Uint8Array): string {
  const decoder = decoderFor(name)
  return decoder.write(bytes) + decoder.end()
}

function webDecoder(label: string): StreamDecoder | undefined {
  // `TextDecoder` decodes the first encodings to nothing. Some versions of Node take windows-1252 for ISO 8859-1.
  if (/^iso-2022-(kr|cn)|^hz|^windows-1252$/.test(label)) return undefined
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
