import assert from 'node:assert/strict'
import type {
  ContextRecord,
  DocumentFilter,
  DocumentMetadata,
  Repositories,
  Storage,
} from '../../../src/ports/index.js'
import type { DefineTest } from '../harness.js'
import { NOW, seedCompany, seedContext, seedDocument } from './storage-seed.js'

/** Strings that differ only behind the beginning that a storage may index. */
const LONG = 'é'.repeat(199)
/** In the order of code points, U+1F600 comes after U+FFFD. In the order of UTF-16 units, it comes before. */
const TEXTS = [
  '',
  'a',
  'A',
  'ab',
  'b',
  '2026-01-31',
  '10',
  'é',
  '\uFFFD',
  '\u{1F600}',
  LONG,
  `${LONG}a`,
  `${LONG}ab`,
  `${LONG}b`,
]
const NUMBERS = [-1.5, 0, 1, 2, 10, 2_026, 0.1 + 0.2, 1e300]
const KEYS = ['year', 'tags', '__proto__', 'companyId', "o'neil"]

/** Tests of the metadata of documents, and of the conditions that select documents. */
export function defineMetadataTests(test: DefineTest<Storage>): void {
  test('stores the name and the metadata of a document, and changes those of all its live versions', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { documents } = repositories
      const metadata = JSON.parse(
        '{"year":2026,"__proto__":"word","tags":["a","b"],"none":[],"draft":false}',
      ) as DocumentMetadata
      const context = await seedContext(repositories, await seedCompany(repositories))
      const first = await seedDocument(repositories, context, uuidOf(1), { metadata, displayName: 'Report' })
      const other = await seedDocument(repositories, context, uuidOf(2), { metadata })
      const { id: _, ...values } = first
      const waiting = await documents.insert({ ...values, uuid: uuidOf(3), replaces: first.id })
      assert.deepEqual(await documents.get(first.id), first)
      assert.deepEqual(await documents.find([other.id]), [other])
      const changed = { displayName: null, metadata: { year: 2027 } }
      for (const { id } of [first, waiting]) await documents.update(id, changed)
      assert.deepEqual(await documents.find([first.id, waiting.id, other.id]), [
        { ...first, ...changed },
        other,
        { ...waiting, ...changed },
      ])
      const idsOf = async (conditions: DocumentFilter) => await documents.filtered(context.id, conditions)
      assert.deepEqual(await idsOf({ metadata: { year: 2027 } }), [first.id, waiting.id])
      assert.deepEqual(await idsOf({ metadata: { year: 2026 } }), [other.id])
      assert.deepEqual(await idsOf({ metadata: { none: { exists: true } } }), [other.id])
      assert.deepEqual(await idsOf({ documents: [first.publicId] }), [first.id, waiting.id])
      await documents.update(other.id, { metadata: {} })
      assert.deepEqual(await idsOf({ metadata: { tags: 'a' } }), [])
      await documents.remove([other.id])
      assert.deepEqual(await idsOf({ metadata: { year: { exists: false } } }), [])
    })
  })

  test('selects the documents that meet conditions, as the rules say', async (storage) => {
    await storage.transaction(async (repositories) => {
      const random = new Draws(7)
      const company = await seedCompany(repositories)
      const context = await seedContext(repositories, company)
      const stored = await seedDocuments(repositories, context, random)
      const elsewhere = await seedContext(repositories, company)
      await seedDocuments(repositories, elsewhere, random)
      for (let round = 0; round < 250; round += 1) {
        const conditions = random.conditions(stored.map(({ publicId }) => publicId))
        const expected = stored.filter((document) => meets(document, conditions)).map(({ id }) => id)
        const shown = JSON.stringify(conditions)
        assert.deepEqual(await repositories.documents.filtered(context.id, conditions), expected, shown)
        const page = { order: 'oldest', limit: 1_000 } as const
        const listed = await repositories.documents.listPositions(context.id, page, { filter: conditions })
        assert.deepEqual(
          listed.map(({ publicId }) => publicId),
          expected,
          shown,
        )
      }
      assert.deepEqual(
        await repositories.documents.filtered(context.id, {}),
        stored.map(({ id }) => id),
      )
    })
  })

  test('selects the same documents after the rows of deleted ones are removed', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { documents } = repositories
      const context = await seedContext(repositories, await seedCompany(repositories))
      const metadata = { topic: 'prices' }
      const kept = await seedDocument(repositories, context, uuidOf(1), { metadata })
      const deleted = await seedDocument(repositories, context, uuidOf(2), { metadata })
      await documents.update(deleted.id, { deleted: NOW })
      const live = await documents.listPage(context.id, { order: 'oldest', limit: 10 }, { filter: { metadata } })
      assert.deepEqual(live, [kept])
      await documents.remove([deleted.id])
      assert.deepEqual(await documents.filtered(context.id, { metadata }), [kept.id])
    })
  })
}

interface Stored {
  readonly id: number
  readonly publicId: number
  readonly metadata: DocumentMetadata
}

async function seedDocuments(repositories: Repositories, context: ContextRecord, random: Draws): Promise<Stored[]> {
  const stored: Stored[] = []
  for (let count = 0; count < 40; count += 1) {
    const uuid = uuidOf(context.id * 1_000 + count)
    stored.push(await seedDocument(repositories, context, uuid, { metadata: random.metadata() }))
  }
  return stored
}

function uuidOf(number: number): string {
  return `aaaaaaaa-0000-4000-8000-${String(number).padStart(12, '0')}`
}

type Scalar = string | number | boolean
interface Tests {
  in?: Scalar[]
  gte?: string | number
  gt?: string | number
  lte?: string | number
  lt?: string | number
}

/** The rules in plain JavaScript, apart from the engine's own evaluation. */
function meets({ publicId, metadata }: Stored, { documents, metadata: wanted = {} }: DocumentFilter): boolean {
  if (documents && !documents.includes(publicId)) return false
  for (const [key, condition] of Object.entries(wanted)) {
    const value = Object.entries(metadata).find(([name]) => name === key)?.[1]
    const items = value === undefined ? [] : ([value].flat() as Scalar[])
    const { exists, not, ...tests } = typeof condition === 'object' ? condition : { in: [condition] }
    if (exists !== undefined && exists !== (value !== undefined)) return false
    if (Object.keys(tests).length > 0 && !items.some((item) => passes(item, tests as Tests))) return false
    const refused = not === undefined || typeof not === 'object' ? not : { in: [not] }
    if (refused && items.some((item) => passes(item, refused as Tests))) return false
  }
  return true
}

function passes(item: Scalar, tests: Tests): boolean {
  const compare = (bound: string | number): number | undefined => {
    if (typeof item === 'number' && typeof bound === 'number') return Math.sign(item - bound)
    if (typeof item !== 'string' || typeof bound !== 'string') return undefined
    return Buffer.compare(Buffer.from(item), Buffer.from(bound))
  }
  const is = (bound: string | number | undefined, signs: readonly number[]) =>
    bound === undefined || signs.includes(compare(bound) ?? Number.NaN)
  if (tests.in && !tests.in.some((value) => value === item)) return false
  return is(tests.gte, [0, 1]) && is(tests.gt, [1]) && is(tests.lte, [-1, 0]) && is(tests.lt, [-1])
}

/** Draws metadata and conditions, the same ones for the same seed. */
class Draws {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  metadata(): DocumentMetadata {
    const entries = KEYS.filter(() => this.#below(3) > 0).map((key) => [key, this.#value()] as const)
    return Object.fromEntries(entries)
  }

  conditions(ids: readonly number[]): DocumentFilter {
    const keys = KEYS.filter(() => this.#below(4) === 0)
    const entries = keys.map((key) => [key, this.#below(3) === 0 ? this.#scalar() : this.#keyTests()] as const)
    return {
      ...(this.#below(4) === 0 && { documents: [...ids.filter(() => this.#below(2) === 0), 999_999] }),
      ...(entries.length > 0 && { metadata: Object.fromEntries(entries) }),
    }
  }

  #keyTests() {
    const tests = this.#tests()
    const not = this.#below(3) === 0 ? { not: this.#below(2) === 0 ? this.#scalar() : this.#tests() } : {}
    const exists = this.#below(4) === 0 ? { exists: this.#below(2) === 0 } : {}
    return {
      ...(this.#below(3) > 0 || Object.keys({ ...not, ...exists }).length === 0 ? tests : {}),
      ...not,
      ...exists,
    }
  }

  #tests(): Tests {
    if (this.#below(3) === 0) return { in: Array.from({ length: this.#below(4) }, () => this.#scalar()) }
    const bounds = this.#below(2) === 0 ? TEXTS : NUMBERS
    const low = this.#below(3) > 0 ? { [this.#pick(['gte', 'gt'])]: this.#pick<string | number>(bounds) } : {}
    const high = this.#below(3) > 0 ? { [this.#pick(['lte', 'lt'])]: this.#pick<string | number>(bounds) } : {}
    return Object.keys({ ...low, ...high }).length === 0 ? { gte: this.#pick(TEXTS) } : { ...low, ...high }
  }

  #value(): Scalar | string[] {
    return this.#below(3) > 0 ? this.#scalar() : Array.from({ length: this.#below(4) }, () => this.#pick(TEXTS))
  }

  #scalar(): Scalar {
    const kind = this.#below(5)
    if (kind === 0) return this.#below(2) === 0
    return kind < 3 ? this.#pick(NUMBERS) : this.#pick(TEXTS)
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.#below(values.length)] as T
  }

  /** @returns an integer from 0, below `end`. Source: Park and Miller 1988, "Random number generators" */
  #below(end: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647
    return Math.floor((this.#state / 2_147_483_647) * end)
  }
}
