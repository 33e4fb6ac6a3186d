import { detect, detectAll, type IDetectedMap } from 'jschardet'
import { ExtractionError } from '../../../src/ports/index.js'
import { canonicalName, decodeWhole } from './charset-decoder.js'
import { type Reading, readings } from './charset-plausibility.js'
import type { CharsetSample } from './charset-sample.js'

/** Readings within this distance of the best one are as good; the detector then decides. */
const TIE_BITS = 6
const TIE_SHARE = 0.05
/** With fewer characters outside ASCII, the detector sees an English text and little else. */
const LEAST_DENSITY = 0.006
const LEAST_CONFIDENCE = 0.1
/** What a point of the detector's confidence is worth, in bits a character. */
const CONFIDENCE_BITS = 80
/** A text in one of the encodings that are known here takes fewer bits a byte. */
const MOST_BITS = 7
const SURE_CONFIDENCE = 0.3
/** What is declared in the text itself. */
const DECLARED_CONFIDENCE = 0.9
/** Few bytes, whatever they are, prove nothing. */
const FEW_BYTES = 48
const NO_TEXT_BITS = 8.5
const DAMAGED_DENSITY = 0.1
const WESTERN = 'windows-1252'
/** Another encoding that is no farther away may be meant as well. */
const UNSURE_BITS = 4

/** What an encoding is taken for, and whether others are nearly as likely. */
export interface CharsetGuess {
  readonly name: string
  readonly isUnsure: boolean
}

/**
 * The likeliest encoding of a text that is no Unicode.
 * @throws ExtractionError `ERR_UNDECODABLE_TEXT` where none is likely, or it is known that none here decodes it
 */
export function guessCharset({ head, words, lines }: CharsetSample): CharsetGuess {
  if (isEbcdic(head)) refuse('in an EBCDIC encoding')
  const known = readings(words)
  const best = known[0] ?? refuse('in no known encoding')
  const foreign = words.filter((byte) => byte >= 0x80).length
  const limit = best.bits * (1 + TIE_SHARE) + TIE_BITS
  const declared = declaredCharset(head)
  if (known.some(({ name, bits }) => name === declared && bits <= limit * 1.2)) {
    return { name: declared ?? best.name, isUnsure: false }
  }
  const found = detectAll(lines, { minimumThreshold: 0 })
  const rare = rareCharset(found[0], known, best.bits / foreign)
  if (rare !== undefined) return { name: rare, isUnsure: false }
  if (foreign >= FEW_BYTES && best.bits > foreign * NO_TEXT_BITS) {
    // A few damaged names do not make a text unreadable.
    if (foreign < lines.length * DAMAGED_DENSITY) return { name: WESTERN, isUnsure: true }
    refuse('in no known encoding')
  }
  if (foreign >= FEW_BYTES && /^(gb18030|euc-)/.test(best.name) && isEucTw(words)) refuse('encoded in EUC-TW')

  const isHelpful = foreign >= lines.length * LEAST_DENSITY && found[0]?.language !== 'en'
  const confidences = isHelpful ? confidencesOf(found) : new Map<string, number>()
  const merit = ({ name, bits }: Reading): number =>
    (confidences.get(name) ?? 0) * CONFIDENCE_BITS - bits / Math.max(4, foreign)
  const likely = known.filter(({ bits }) => bits <= limit).sort((one, other) => merit(other) - merit(one))
  const { name, bits } = likely[0] ?? best
  const isConfirmed = (confidences.get(name) ?? 0) >= SURE_CONFIDENCE
  const text = decodeWhole(name, words)
  const isRivalled = known.some((other) => other.bits <= bits + UNSURE_BITS && decodeWhole(other.name, words) !== text)
  return { name, isUnsure: isRivalled && !isConfirmed }
}

/** An encoding that only the detector knows, where none of the others fits. */
function rareCharset(
  found: IDetectedMap | undefined,
  known: readonly Reading[],
  bitsAByte: number,
): string | undefined {
  if (found?.encoding == null || bitsAByte <= MOST_BITS || found.confidence < SURE_CONFIDENCE) return undefined
  const name = canonicalName(found.encoding)
  return known.some((reading) => reading.name === name) ? undefined : name
}

/** Of the detector, to a hundredth: less is noise. */
function confidencesOf(found: readonly IDetectedMap[]): Map<string, number> {
  const confidences = new Map<string, number>()
  if ((found[0]?.confidence ?? 0) < LEAST_CONFIDENCE) return confidences
  for (const { encoding, confidence } of found) {
    const name = canonicalName(encoding ?? '')
    confidences.set(name, Math.max(Math.round(confidence * 100) / 100, confidences.get(name) ?? 0))
  }
  return confidences
}

function refuse(what: string): never {
  throw new ExtractionError('ERR_UNDECODABLE_TEXT', `The text is ${what}: convert it to UTF-8`)
}
/** What a text in HTML or XML says of itself. */
function declaredCharset(head: Uint8Array): string | undefined {
  const { encoding, confidence, mimeType } = detect(head)
  const isDeclared = encoding !== null && confidence >= DECLARED_CONFIDENCE && /html|xml/.test(mimeType ?? '')
  return isDeclared ? canonicalName(encoding) : undefined
}

/** Chinese characters begin later in EUC-TW than in the encodings that look like it. */
function isEucTw(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += 1) {
    const lead = bytes[at] ?? 0
    if (lead < 0x80) continue
    if ((lead > 0xaf && lead < 0xc4) || (bytes[at + 1] ?? 0) < 0x80) return false
    at += 1
  }
  return true
}

/** In EBCDIC the blank is 0x40, and letters lie above 0x80. */
function isEbcdic(bytes: Uint8Array): boolean {
  let blanks = 0
  let ascii = 0
  for (const byte of bytes) {
    if (byte === 0x40) blanks += 1
    if (byte === 0x20 || (byte >= 0x61 && byte <= 0x7a)) ascii += 1
  }
  return blanks > bytes.length * 0.1 && blanks > ascii
}
