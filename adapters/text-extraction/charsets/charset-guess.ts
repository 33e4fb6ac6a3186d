import { detect, detectAll, type IDetectedMap } from 'jschardet'
import { ExtractionError } from '../../../src/ports/index.js'
import { canonicalName, decodeWhole } from './charset-decoder.js'
import { type Reading, readings } from './charset-plausibility.js'
import type { CharsetSample } from './charset-sample.js'

/** Readings within this distance of the best one count as equal. The detector then decides. */
const TIE_BITS = 6
const TIE_SHARE = 0.05
/** With a smaller share of characters outside ASCII, the detector sees only an English text. */
const MIN_DENSITY = 0.006
const MIN_CONFIDENCE = 0.1
/** The weight of the detector's confidence, in bits a character. */
const CONFIDENCE_BITS = 80
/** A text in one of the known encodings takes fewer bits a byte. */
const MAX_BITS = 7
const SURE_CONFIDENCE = 0.3
/** The detector has this confidence if the text itself declares the encoding. */
const DECLARED_CONFIDENCE = 0.9
/** Fewer bytes outside ASCII prove nothing. */
const FEW_BYTES = 48
const NO_TEXT_BITS = 8.5
const DAMAGED_DENSITY = 0.1
const WESTERN = 'windows-1252'
/** Another encoding within this distance is possible too. */
const UNSURE_BITS = 4

export interface CharsetGuess {
  readonly name: string
  /** True if other encodings are almost as likely. */
  readonly isUnsure: boolean
}

/**
 * Guesses the encoding of a text that is not Unicode.
 * @throws ExtractionError `ERR_UNDECODABLE_TEXT` if no encoding is likely, or if the likely one has no decoder
 */
export function guessCharset({ head, words, lines }: CharsetSample): CharsetGuess {
  if (isEbcdic(head)) refuse('in an EBCDIC encoding')
  const known = readings(words)
  const best = known[0] ?? refuse('in no known encoding')
  const nonAsciiBytes = words.filter((byte) => byte >= 0x80).length
  const limit = best.bits * (1 + TIE_SHARE) + TIE_BITS
  const declared = declaredCharset(head)
  if (known.some(({ name, bits }) => name === declared && bits <= limit * 1.2)) {
    return { name: declared ?? best.name, isUnsure: false }
  }
  const found = detectAll(lines, { minimumThreshold: 0 })
  const rare = rareCharset(found[0], known, best.bits / nonAsciiBytes)
  if (rare !== undefined) return { name: rare, isUnsure: false }
  if (nonAsciiBytes >= FEW_BYTES && best.bits > nonAsciiBytes * NO_TEXT_BITS) {
    // A few damaged words do not make a text unreadable.
    if (nonAsciiBytes < lines.length * DAMAGED_DENSITY) return { name: WESTERN, isUnsure: true }
    refuse('in no known encoding')
  }
  if (nonAsciiBytes >= FEW_BYTES && /^(gb18030|euc-)/.test(best.name) && isEucTw(words)) refuse('encoded in EUC-TW')

  const isHelpful = nonAsciiBytes >= lines.length * MIN_DENSITY && found[0]?.language !== 'en'
  const confidences = isHelpful ? confidencesOf(found) : new Map<string, number>()
  const merit = ({ name, bits }: Reading): number =>
    (confidences.get(name) ?? 0) * CONFIDENCE_BITS - bits / Math.max(4, nonAsciiBytes)
  const likely = known.filter(({ bits }) => bits <= limit).sort((first, second) => merit(second) - merit(first))
  const { name, bits } = likely[0] ?? best
  const isConfirmed = (confidences.get(name) ?? 0) >= SURE_CONFIDENCE
  const text = decodeWhole(name, words)
  const isRivalled = known.some((other) => other.bits <= bits + UNSURE_BITS && decodeWhole(other.name, words) !== text)
  return { name, isUnsure: isRivalled && !isConfirmed }
}

/** An encoding that only the detector knows, if none of the known ones fits. */
function rareCharset(
  found: IDetectedMap | undefined,
  known: readonly Reading[],
  bitsPerByte: number,
): string | undefined {
  if (found?.encoding == null || bitsPerByte <= MAX_BITS || found.confidence < SURE_CONFIDENCE) return undefined
  const name = canonicalName(found.encoding)
  return known.some((reading) => reading.name === name) ? undefined : name
}

/** The confidences of the detector, rounded to a hundredth, because smaller differences are noise. */
function confidencesOf(found: readonly IDetectedMap[]): Map<string, number> {
  const confidences = new Map<string, number>()
  if ((found[0]?.confidence ?? 0) < MIN_CONFIDENCE) return confidences
  for (const { encoding, confidence } of found) {
    const name = canonicalName(encoding ?? '')
    confidences.set(name, Math.max(Math.round(confidence * 100) / 100, confidences.get(name) ?? 0))
  }
  return confidences
}

function refuse(problem: string): never {
  throw new ExtractionError('ERR_UNDECODABLE_TEXT', `The text is ${problem}: convert it to UTF-8`)
}

/** The encoding that a text in HTML or XML declares. */
function declaredCharset(head: Uint8Array): string | undefined {
  const { encoding, confidence, mimeType } = detect(head)
  const isDeclared = encoding !== null && confidence >= DECLARED_CONFIDENCE && /html|xml/.test(mimeType ?? '')
  return isDeclared ? canonicalName(encoding) : undefined
}

/** Chinese characters begin at a higher code in EUC-TW than in similar encodings. */
function isEucTw(bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index += 1) {
    const lead = bytes[index] ?? 0
    if (lead < 0x80) continue
    if ((lead > 0xaf && lead < 0xc4) || (bytes[index + 1] ?? 0) < 0x80) return false
    index += 1
  }
  return true
}

/** In EBCDIC the blank is 0x40, and letters are above 0x80. */
function isEbcdic(bytes: Uint8Array): boolean {
  let blanks = 0
  let ascii = 0
  for (const byte of bytes) {
    if (byte === 0x40) blanks += 1
    if (byte === 0x20 || (byte >= 0x61 && byte <= 0x7a)) ascii += 1
  }
  return blanks > bytes.length * 0.1 && blanks > ascii
}
