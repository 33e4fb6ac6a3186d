import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DocumentFilter, type DocumentMetadata, passesFilter, type Storage } from '../../../src/ports/index.js'
import { seedCompany, seedContext, seedDocument } from '../../conformance/storage/storage-seed.js'
import { sized } from '../../full-form.js'
import { DATABASES, type TestDatabase } from '../../src/outbox/database.js'

/** Long strings differ behind the beginning that the index has. */
const text = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'ab', '10', '\uFFFD', '\u{1F600}'),
  fc
    .tuple(fc.constantFrom('é'.repeat(199), '\u{1F600}'.repeat(200)), fc.constantFrom('', 'a', 'b'))
    .map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 4 }).filter((each) => !each.includes('\0')),
)
/** SQLite reads some numbers of 17 digits from text with another last digit. */
const number = fc.oneof(
  fc.constantFrom(0, 1, 2, -1, 0.1 + 0.2, 1e300),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const scalar = fc.oneof(text, number, fc.boolean())
const KEYS = ['k1', 'k2', '__proto__', "o'neil"]
const key = fc.constantFrom(...KEYS)

function record<Value>(value: fc.Arbitrary<Value>, maxLength: number): fc.Arbitrary<Record<string, Value>> {
  // `Object.fromEntries` makes a property of its own of every key.
  return fc.array(fc.tuple(key, value), { maxLength }).map((entries) => Object.fromEntries(entries))
}

const metadata = record(fc.oneof(scalar, fc.array(text, { maxLength: 3 })), 4)
const bounds = fc.constantFrom(text, number).chain((bound) => {
  const each: fc.Arbitrary<string | number> = bound
  return fc.record(
    { gte: each, gt: each, lte: each, lt: each, in: fc.array(scalar, { maxLength: 6 }) },
    { requiredKeys: [] },
  )
})
const tests = bounds.filter((each) => Object.keys(each).length > 0)
const keyTests = fc
  .record({ tests, exists: fc.boolean(), not: fc.oneof(scalar, tests) }, { requiredKeys: [] })
  .filter((each) => Object.keys(each).length > 0)
  .map(({ tests: passed, ...others }) => ({ ...passed, ...others }))

/** Documents, and filters that often have values of these documents. */
const cases = fc.array(metadata, { minLength: 1, maxLength: 8 }).chain((documents) => {
  const values = documents.flatMap((document) => Object.values(document)).flat()
  const known = values.length === 0 ? scalar : fc.oneof(scalar, fc.constantFrom(...values))
  const condition = fc.oneof(known, keyTests, fc.record({ in: fc.array(known, { maxLength: 5 }), not: known }))
  return fc.tuple(fc.constant(documents), fc.array(record(condition, 4), { minLength: 1, maxLength: 6 }))
})

describe.each(DATABASES)('filters of metadata on $name', ({ open }) => {
  let database: TestDatabase
  let storage: Storage

  beforeAll(async () => {
    database = await open()
    storage = database.storage()
    await storage.open()
  })

  afterAll(async () => {
    await storage.close()
    await database.dispose()
  })

  it('select what the rules in plain code select, for any documents and conditions', async () => {
    let uuid = 0
    await fc.assert(
      fc.asyncProperty(cases, async ([documents, filters]) => {
        await storage.transaction(async (repositories) => {
          const context = await seedContext(repositories, await seedCompany(repositories))
          const stored: { readonly id: number; readonly publicId: number; readonly metadata: DocumentMetadata }[] = []
          for (const each of documents) {
            uuid += 1
            const id = `aaaaaaaa-0000-4000-8000-${String(uuid).padStart(12, '0')}`
            stored.push(await seedDocument(repositories, context, id, { metadata: each }))
          }
          for (const filter of filters) {
            const conditions = { metadata: filter } as DocumentFilter
            const expected = stored.filter((document) => passesFilter(document, conditions)).map(({ id }) => id)
            expect(await repositories.documents.filtered(context.id, conditions)).toEqual(expected)
            const page = { order: 'oldest', limit: 100 } as const
            const listed = await repositories.documents.listPositions(context.id, page, { filter: conditions })
            expect(listed.map(({ publicId }) => publicId)).toEqual(expected)
          }
        })
      }),
      { numRuns: sized(60, 600) },
    )
  }, 120_000)
})
