/** The letters or signs of a numbering, one for each number. Behind the last one, the first is written twice, and so on. */
const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    lowerLetter: 'abcdefghijklmnopqrstuvwxyz',
    upperLetter: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
    russianLower: 'абвгдежзиклмнопрстуфхцчшщыэюя',
    russianUpper: 'АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ',
    chicago: '*†‡§',
    ganada: '가나다라마바사아자차카타파하',
    chosung: 'ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ',
    aiueo: 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
    aiueoFullWidth: 'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
    iroha: 'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス',
    irohaFullWidth: 'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセス',
    ideographTraditional: '甲乙丙丁戊己庚辛壬癸',
    ideographZodiac: '子丑寅卯辰巳午未申酉戌亥',
    arabicAlpha: 'أبتثجحخدذرزسشصضطظعغفقكلمنهوي',
    arabicAbjad: 'أبجدهوزحطيكلمنسعفصقرشتثخذضظغ',
    thaiLetters: 'กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ',
  }),
)
/** The first digit of a script, or of signs with the form of digits. */
const DIGITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    decimalFullWidth: 0xff10,
    decimalFullWidth2: 0xff10,
    thaiNumbers: 0x0e50,
    hindiNumbers: 0x0966,
  }),
)
const HAN_DIGITS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ideographDigital: '〇一二三四五六七八九',
    japaneseDigitalTenThousand: '〇一二三四五六七八九',
    taiwaneseDigital: '○一二三四五六七八九',
    koreanDigital: '영일이삼사오육칠팔구',
    koreanDigital2: '零一二三四五六七八九',
  }),
)
/** Numbers in words of Han or Hangul. */
interface HanWords {
  /** A gap between digits is a zero if there is one. */
  readonly digits: string
  /** Tens, hundreds and thousands. */
  readonly units: string
  /** The units with a one before them: all, all but the ten of ten to nineteen, or none. */
  readonly ones: 'always' | 'not-first-ten' | 'never'
}
const CHINESE: HanWords = { digits: '零一二三四五六七八九', units: '十百千', ones: 'not-first-ten' }
const HAN_WORDS: ReadonlyMap<string, HanWords> = new Map(
  Object.entries<HanWords>({
    chineseCounting: CHINESE,
    chineseCountingThousand: CHINESE,
    taiwaneseCounting: CHINESE,
    taiwaneseCountingThousand: CHINESE,
    japaneseCounting: { digits: '\0一二三四五六七八九', units: '十百千', ones: 'never' },
    japaneseLegal: { digits: '\0壱弐参四伍六七八九', units: '拾百阡', ones: 'always' },
    chineseLegalSimplified: { digits: '零壹贰叁肆伍陆柒捌玖', units: '拾佰仟', ones: 'always' },
    ideographLegalTraditional: { digits: '零壹貳參肆伍陸柒捌玖', units: '拾佰仟', ones: 'always' },
    koreanCounting: { digits: '\0일이삼사오육칠팔구', units: '십백천', ones: 'not-first-ten' },
  }),
)
const ROMAN: readonly (readonly [value: number, letters: string])[] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
]
const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = 'zero ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const IRREGULAR: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
}
/** Larger numbers are written as digits where letters would become long. */
const [MAX_ROMAN, MAX_LETTERS, MAX_WORDS] = [32_767, 780, 9_999]

/** `decimal00` writes 001. */
const PADDED = /^decimal0+$/

/** A number in a format of Word. Formats that are not known are digits. */
export function numberText(value: number, numberFormat: string): string {
  if (PADDED.test(numberFormat)) return String(value).padStart(numberFormat.length - 'decimal'.length + 1, '0')
  const letters = LETTERS.get(numberFormat)
  if (letters !== undefined && value >= 1 && value <= MAX_LETTERS) {
    const all = Array.from(letters)
    return (all[(value - 1) % all.length] ?? '').repeat(Math.ceil(value / all.length))
  }
  const zero = DIGITS.get(numberFormat)
  if (zero !== undefined) return digits(value, (digit) => String.fromCodePoint(zero + digit))
  const han = HAN_DIGITS.get(numberFormat)
  if (han !== undefined) return digits(value, (digit) => Array.from(han)[digit] ?? '')
  const words = HAN_WORDS.get(numberFormat)
  if (words !== undefined && value >= 0 && value <= MAX_WORDS) return hanWords(value, words)
  return (OTHERS.get(numberFormat) ?? String)(value)
}

const OTHERS: ReadonlyMap<string, (value: number) => string> = new Map(
  Object.entries<(value: number) => string>({
    none: () => '',
    decimalZero: (value) => String(value).padStart(2, '0'),
    lowerRoman: roman,
    upperRoman: (value) => roman(value).toUpperCase(),
    ordinal: (value) => `${value}${suffix(value)}`,
    cardinalText: (value) => capital(words(value)),
    ordinalText: (value) => capital(ordinal(words(value))),
    numberInDash: (value) => `- ${value} -`,
    hex: (value) => value.toString(16).toUpperCase(),
    decimalEnclosedCircle: (value) => enclosed(value, 0x2460, 20),
    decimalEnclosedCircleChinese: (value) => enclosed(value, 0x2460, 20),
    decimalEnclosedParen: (value) => enclosed(value, 0x2474, 20),
    decimalEnclosedFullstop: (value) => enclosed(value, 0x2488, 20),
    ideographEnclosedCircle: (value) => enclosed(value, 0x3280, 10),
  }),
)

function enclosed(value: number, first: number, count: number): string {
  return value >= 1 && value <= count ? String.fromCodePoint(first + value - 1) : String(value)
}

function digits(value: number, digitOf: (digit: number) => string): string {
  return String(value).replaceAll(/\d/g, (digit) => digitOf(Number(digit)))
}

function roman(value: number): string {
  if (value < 1 || value > MAX_ROMAN) return String(value)
  let rest = value
  let text = ''
  for (const [each, letters] of ROMAN) {
    text += letters.repeat(Math.floor(rest / each))
    rest %= each
  }
  return text
}

function suffix(value: number): string {
  const isTeen = Math.floor(value / 10) % 10 === 1
  return isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')
}

function words(value: number): string {
  if (value < 0 || value > MAX_WORDS) return String(value)
  if (value < 20) return ONES[value] ?? ''
  const [unit, name] = value < 100 ? [10, ''] : value < 1_000 ? [100, ' hundred'] : [1_000, ' thousand']
  const [count, rest] = [Math.floor(value / unit), value % unit]
  const first = unit === 10 ? (TENS[count] ?? '') : `${words(count)}${name}`
  if (rest === 0) return first
  return `${first}${unit === 10 ? '-' : ' '}${words(rest)}`
}

function ordinal(text: string): string {
  const [, before = '', last = ''] = /^(.*?)([a-z]+)$/.exec(text) ?? ['', text, '']
  if (last === '') return text
  return `${before}${IRREGULAR[last] ?? `${last.replace(/y$/, 'ie')}th`}`
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

function hanWords(value: number, { digits: digitNames, units, ones }: HanWords): string {
  const [names, places] = [Array.from(digitNames), ['', ...Array.from(units)]]
  const all = Array.from(String(value), Number)
  let text = ''
  for (const [at, digit] of all.entries()) {
    const place = all.length - 1 - at
    if (digit !== 0) {
      if (at > 0 && all[at - 1] === 0 && names[0] !== '\0') text += names[0] ?? ''
      const isUnit = ones === 'never' ? place > 0 : ones === 'not-first-ten' && place === 1 && at === 0
      text += `${digit === 1 && isUnit ? '' : (names[digit] ?? '')}${places[place] ?? ''}`
    }
  }
  return text === '' ? '0' : text
}
