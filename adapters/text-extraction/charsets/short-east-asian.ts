/** Longer texts have enough pairs of bytes for the detector. */
const SHORT_CHARACTERS = 24
/** With fewer characters, a guess by the common ones is not certain. */
const FEW_CHARACTERS = 3
/** Frequent syllables of Korean. Other texts in the same bytes have rare ones. */
const FREQUENT_HANGUL = new Set(
  '이다는의가을에하고지를은도로사한기어리인시나자그아서해부스일정과수전대보제라관들마여면게상장주구조만안원성간경년생공용동비국소세적과있었없않했것등및중신물선문무모바방법본분산실화회계약록명번호연월지학교업단당대심식음입출오우위유의요예양행현형확환활후서울감습니까네내너되된될됩드디때또래러레려력련료류르른를린립매메목미민반받발배백버변별복불사색설속송순술습승십써씨았야언얼역열영외운으응임작잘저절점접정종직진질집차참처천청체초총최추충취치카크타태터테토통트특파판평포표품프피필하학합항협호'.normalize(
    'NFC',
  ),
)

/** Bytes of the common characters of an encoding whose characters have two bytes from 0xA1 on, by the first byte. */
const COMMON: Readonly<Record<string, (lead: number) => boolean>> = {
  // Punctuation, full-width letters, kana, and the kanji of the first level.
  'euc-jp': (lead) =>
    lead === 0xa1 || lead === 0xa3 || lead === 0xa4 || lead === 0xa5 || (lead >= 0xb0 && lead <= 0xcf),
  gb18030: (lead) => lead === 0xa1 || lead === 0xa3 || (lead >= 0xb0 && lead <= 0xd7),
}
const AMBIGUOUS = /^(?:gb18030|euc-kr|euc-jp|johab|cp949)$/

/** The characters of a text that are not ASCII. */
function charactersOf(text: string): string[] {
  return Array.from(text).filter((character) => character > '\x7F')
}

/**
 * Finds short Japanese text in Shift-JIS with common kanji, which the detector takes for text of the Mac or of DOS: their
 * letters are its first bytes. But words of them have no second bytes of so many kinds.
 *
 * @returns `undefined` for other and for longer texts
 */
export function shortShiftJis(
  bytes: Uint8Array,
  text: string,
): { readonly name: string; readonly isUnsure: boolean } | undefined {
  const count = charactersOf(text).length
  if (count < 2 || count > SHORT_CHARACTERS || text.includes('\uFFFD')) return undefined
  let [high, control, ascii] = [0, 0, 0]
  let next = 0
  for (let index = 0; index < bytes.length; index += 1) {
    const lead = bytes[index] ?? 0
    if (lead < 0x80) continue
    const trail = bytes[index + 1] ?? 0
    const isKanji = (lead >= 0x88 && lead <= 0x97) || (lead === 0x98 && trail <= 0x72)
    if (!isKanji && (lead < 0x81 || lead > 0x83)) return undefined
    if (trail >= 0xa0) high += 1
    else if (trail >= 0x80) control += 1
    else ascii += 1
    // Words of other scripts have single letters between ASCII letters.
    if ((bytes[index + 2] ?? 0) >= 0x80) next += 1
    index += 1
  }
  const isRun = next * 2 >= count - 1 && next > 0
  const isVaried = high * 3 >= count || (control > 0 && ascii > 0)
  return isRun && isVaried ? { name: 'shift_jis', isUnsure: count < FEW_CHARACTERS } : undefined
}

/**
 * True for a short text that is as good in another of the encodings that share their bytes: the Chinese, Japanese and
 * Korean ones.
 *
 * @param decode decodes the bytes by the name of an encoding
 */
export function isAmbiguous(name: string, bytes: Uint8Array, decode: (name: string) => string): boolean {
  const characters = charactersOf(decode(name))
  if (!AMBIGUOUS.test(name) || characters.length > SHORT_CHARACTERS) return false
  if (isKorean(decode('euc-kr'))) return name !== 'euc-kr'
  return Object.entries(COMMON).some(([other, isCommon]) => other !== name && hasOnly(bytes, isCommon))
}

function isKorean(text: string): boolean {
  const characters = charactersOf(text)
  const frequent = characters.filter((character) => FREQUENT_HANGUL.has(character)).length
  return frequent * 2 >= characters.length
}

function hasOnly(bytes: Uint8Array, isCommon: (lead: number) => boolean): boolean {
  for (let index = 0; index < bytes.length; index += 1) {
    const lead = bytes[index] ?? 0
    if (lead < 0x80) continue
    if (!isCommon(lead) || (bytes[index + 1] ?? 0) < 0xa1) return false
    index += 1
  }
  return true
}
