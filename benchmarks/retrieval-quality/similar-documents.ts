import { seededRandom } from '../../test/seeded-random.js'

/** A document that differs from a hundred others only in its numbers and names. */
export interface SimilarDocument {
  readonly fileName: string
  readonly text: string
}

/** A question that names one of the documents by its part number, error code, person or extension. */
export interface SimilarQuestion {
  readonly question: string
  /** The document that answers the question. */
  readonly fileName: string
}

/** Documents of each of the three kinds. */
const EACH = 100
const SEED = 4_711

const SERIES = ['Falkon', 'Meridian', 'Tessera', 'Ostro', 'Kestrel'] as const
const DEVICES = ['power supply', 'relay module', 'signal isolator', 'motor controller', 'pressure sensor'] as const
const PARTS = ['inlet valve', 'heat exchanger', 'feed pump', 'spindle drive', 'door lock', 'coolant line'] as const
const FIRST_NAMES = ['Maria', 'Jonas', 'Aylin', 'Pedro', 'Ingrid', 'Tomasz', 'Chloé', 'Rahul', 'Noor', 'Sean'] as const
const LAST_NAMES = [
  'Kowalska',
  'Lindqvist',
  'Okafor',
  'Navarro',
  'Brandt',
  'Moreau',
  'Iyer',
  'Haddad',
  'O’Brien',
  'Tanaka',
] as const
const ROLES = ['purchasing', 'customer service', 'quality assurance', 'field service', 'accounts payable'] as const
const CITIES = ['Rotterdam', 'Graz', 'Leeds', 'Porto', 'Malmö'] as const

/** Product sheets, error manuals and contact lists, 100 of each. They are the same in every run. */
export function similarDocuments(): { documents: readonly SimilarDocument[]; questions: readonly SimilarQuestion[] } {
  const random = seededRandom(SEED)
  const documents: SimilarDocument[] = []
  const questions: SimilarQuestion[] = []
  const add = (fileName: string, text: string, asked: readonly string[]): void => {
    documents.push({ fileName, text })
    for (const question of asked) questions.push({ fileName, question })
  }
  const numbers = distinct(random, EACH * 3)
  for (let at = 0; at < EACH; at += 1) {
    const own = numbers[at] ?? 0
    addProduct(random, own, numbers[at + 1 < EACH ? at + 1 : 0] ?? 0, add)
    addError(random, numbers[EACH + at] ?? 0, add)
    addContact(random, at, numbers[2 * EACH + at] ?? 0, add)
  }
  return { documents, questions }
}

type Add = (fileName: string, text: string, asked: readonly string[]) => void

/** The sheet also names the product that this one replaces. */
function addProduct(random: () => number, number: number, older: number, add: Add): void {
  const part = partNumber(number)
  const device = pick(random, DEVICES)
  const text = [
    `Product sheet ${part}`,
    `The ${part} is a ${device} of the ${pick(random, SERIES)} series. It is mounted on a rail of 35 mm and wired by spring terminals. It replaces the ${partNumber(older)}.`,
    `Rated voltage: ${between(random, 12, 480)} V. Rated current: ${between(random, 1, 63)} A. Weight: ${between(random, 90, 2_400)} g. Ambient temperature: -${between(random, 5, 40)} to ${between(random, 50, 85)} °C.`,
    `Order number: ${part}. The warranty lasts ${between(random, 1, 5)} years from the day of delivery. Keep this sheet with the device.`,
  ]
  add(`product-${number}.txt`, text.join('\n\n'), [
    pick(random, [
      `What is the rated current of the ${part}?`,
      `Which ambient temperature does the ${part} bear?`,
      `How heavy is ${part}?`,
    ]),
    pick(random, [`${part.toLowerCase()} warranty`, `rated voltage ${part}`, `What does the ${part} replace?`]),
  ])
}

function addError(random: () => number, number: number, add: Add): void {
  const code = `E-${number}`
  const part = pick(random, PARTS)
  const text = [
    `Error ${code}`,
    `The controller shows ${code} when the ${part} reports more than ${between(random, 20, 95)} % of its limit for ${between(random, 2, 30)} seconds. The machine stops, and the lamp on its door turns red.`,
    `To clear the error, switch the machine off, check the ${part}, and hold the reset key for ${between(random, 2, 12)} seconds. If it comes back, replace fuse F${between(random, 1, 24)} and call the service.`,
  ]
  add(`error-${number}.txt`, text.join('\n\n'), [
    pick(random, [
      `What does error ${code} mean?`,
      `The display says ${code}. What is broken?`,
      `Why does it show ${code}?`,
    ]),
    pick(random, [`How do I clear ${code}?`, `${code} reset`, `Which fuse do I replace after error ${code}?`]),
  ])
}

/** Ten first names and ten last names: no person is found by one of the two alone. */
function addContact(random: () => number, at: number, extension: number, add: Add): void {
  const first = FIRST_NAMES[at % FIRST_NAMES.length] ?? ''
  const last = LAST_NAMES[Math.floor(at / FIRST_NAMES.length) % LAST_NAMES.length] ?? ''
  const name = `${first} ${last}`
  const role = pick(random, ROLES)
  const text = [
    `Contact: ${name}`,
    `${name} works in ${role} at the office in ${pick(random, CITIES)}, on floor ${between(random, 1, 9)}.`,
    `Extension: ${extension}. Mobile: +49 170 ${between(random, 1_000_000, 9_999_999)}. Office hours: ${between(random, 7, 10)} to ${between(random, 15, 18)}. In urgent cases call the switchboard, which knows who stands in.`,
  ]
  add(`contact-${at}.txt`, text.join('\n\n'), [
    pick(random, [
      `What is the extension of ${name}?`,
      `How can I reach ${name} by phone?`,
      `In which city does ${name} work?`,
    ]),
    pick(random, [`Whose extension is ${extension}?`, `${name} mobile`, `office hours ${last} ${first}`]),
  ])
}

function partNumber(number: number): string {
  return `${['QX', 'VR', 'TM'][number % 3] ?? ''}-${number}-${['A', 'B', 'C', 'D'][number % 4] ?? ''}`
}

/** Different numbers of four digits. */
function distinct(random: () => number, count: number): number[] {
  const numbers = new Set<number>()
  while (numbers.size < count) numbers.add(between(random, 1_000, 9_999))
  return [...numbers]
}

/** A random whole number. Both limits are possible. */
function between(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1))
}

function pick(random: () => number, items: readonly string[]): string {
  return items[Math.floor(random() * items.length)] ?? ''
}
