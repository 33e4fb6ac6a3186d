import assert from 'node:assert/strict'
import type {
  ContextRecord,
  DocumentPage,
  DocumentPosition,
  DocumentRecord,
  DocumentSelection,
  DocumentStatus,
  Repositories,
  Storage,
} from '../../../src/ports/index.js'
import type { DefineTest } from '../harness.js'
import { LATER, NOW, seedCompany, seedContext, seedDocument } from './storage-seed.js'

/** With characters that patterns of SQL know, letters of several scripts, and code points above U+FFFF. */
const NAMES = [
  'report.pdf',
  'REPORT.pdf',
  'Report (1).pdf',
  '100% sure.txt',
  '100_sure.txt',
  "o'neil.txt",
  'ÄPFEL.txt',
  // The accent is a code point of its own.
  'A\u0308pfel.txt',
  'apfel.txt',
  'straße.txt',
  'STRAẞE.txt',
  'ΟΔΟΣ.txt',
  'οδός.txt',
  'İstanbul.txt',
  '\uFFFD.txt',
  '\u{1F600}.txt',
  '報告.txt',
  `${'é'.repeat(120)}.txt`,
  // Too long to be shown as it is.
  `${'ß'.repeat(300)}-end.txt`,
  'folder\\con.txt',
]
const PARTS = [
  '',
  'report',
  'RePort',
  '%',
  '_',
  '\\',
  "'",
  'äpf',
  'A\u0308PF',
  'OSS',
  'σ',
  'Σ',
  '-END',
  '\u{1F600}',
  '告',
  '.',
]
const STATES = {
  waiting: { started: null, completed: null, error: null },
  processing: { started: NOW, completed: null, error: null },
  completed: { started: NOW, completed: LATER, error: null },
  failed: { started: NOW, completed: null, error: 'The file is damaged (ERR_FILE_DAMAGED).' },
} as const
const STATUSES = Object.keys(STATES) as DocumentStatus[]
const ORDERS = ['oldest', 'newest', 'name'] as const

interface Stored {
  readonly record: DocumentRecord
  readonly statuses: readonly DocumentStatus[]
}

/** Tests of the orders and filters of lists of documents. */
export function defineListTests(test: DefineTest<Storage>): void {
  test('lists documents in each order by their states, names and conditions, as the rules say', async (storage) => {
    await storage.transaction(async (repositories) => {
      const random = new Draws(11)
      const company = await seedCompany(repositories)
      const context = await seedContext(repositories, company)
      const stored = await seedDocuments(repositories, context, random)
      await seedDocuments(repositories, await seedContext(repositories, company), random)
      for (let round = 0; round < 250; round += 1) {
        const page = random.page(stored)
        const { selection, part } = random.selection()
        const expected = stored
          .filter((document) => isWanted(document, selection, part))
          .filter(({ record }) => page.after === undefined || compare(page.order, positionOf(record), page.after) > 0)
          .filter(({ record }) => page.upTo === undefined || compare(page.order, positionOf(record), page.upTo) <= 0)
          .sort((one, other) => compare(page.order, positionOf(one.record), positionOf(other.record)))
          .slice(0, page.limit)
          .map(({ record }) => record)
        const shown = JSON.stringify({ page, selection })
        const { documents } = repositories
        assert.deepEqual(await documents.listPositions(context.id, page, selection), expected.map(positionOf), shown)
        assert.deepEqual(await documents.listPage(context.id, page, selection), expected, shown)
        const first = await documents.listPage(context.id, { ...page, maxBytes: 1 }, selection)
        assert.deepEqual(first, expected.slice(0, 1), shown)
      }
    })
  })

  for (const order of ORDERS) {
    test(`reads a list in the order ${order} page by page, while documents are added, renamed and deleted`, async (storage) => {
      await storage.transaction(async (repositories) => {
        const { documents } = repositories
        const context = await seedContext(repositories, await seedCompany(repositories))
        const stored = await seedDocuments(repositories, context, new Draws(5))
        const read: number[] = []
        let after: DocumentPosition | undefined
        for (let turn = 0; ; turn += 1) {
          const page = await documents.listPage(context.id, { order, after, limit: 4, maxBytes: 1_500 })
          const last = page.at(-1)
          if (last === undefined) break
          read.push(...page.map(({ publicId }) => publicId))
          after = positionOf(last)
          if (turn !== 1) continue
          // A position stays when its document is deleted or has another name.
          await documents.update(last.id, { deleted: LATER })
          if (page[0] !== last && page[0] !== undefined) await documents.update(page[0].id, { displayName: 'ZZZ' })
          await seedDocument(repositories, context, uuidOf(9), { originalName: NAMES[0] ?? '' })
        }
        const unchanged = read.filter((id, index) => read.indexOf(id) === index)
        for (const { record } of stored) assert.equal(unchanged.includes(record.publicId), true, record.originalName)
      })
    })
  }

  test('finds a document by its new name, and also by the name at the upload', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { documents } = repositories
      const context = await seedContext(repositories, await seedCompany(repositories))
      const { id } = await seedDocument(repositories, context, uuidOf(1), { originalName: 'Lease.pdf' })
      const found = async (foldedPart: string) =>
        (await documents.listPage(context.id, { order: 'name', limit: 9 }, { foldedPart })).length
      await documents.update(id, { displayName: 'Contract OF 2026' })
      assert.deepEqual([await found('contract of'), await found('lease'), await found('of 2026.pdf')], [1, 1, 0])
      await documents.update(id, { displayName: null })
      assert.deepEqual([await found('contract'), await found('lease')], [0, 1])
    })
  })

  test('finds a document by the name of its renamed file, and no longer by the former one', async (storage) => {
    await storage.transaction(async (repositories) => {
      const { documents } = repositories
      const context = await seedContext(repositories, await seedCompany(repositories))
      const document = await seedDocument(repositories, context, uuidOf(1), { originalName: 'Lease.pdf' })
      const { id, contentHash } = document
      const found = async (foldedPart: string) =>
        (await documents.listPage(context.id, { order: 'name', limit: 9 }, { foldedPart })).length
      await documents.update(id, { originalName: 'Contract.pdf', nameIndex: 2 })
      assert.deepEqual(await documents.get(id), { ...document, originalName: 'Contract.pdf', nameIndex: 2 })
      assert.deepEqual([await found('contract (2).pdf'), await found('lease')], [1, 0])
      assert.equal((await documents.findSame(context.id, contentHash, 'Contract.pdf'))?.id, id)
      assert.equal(await documents.findSame(context.id, contentHash, 'Lease.pdf'), undefined)
      assert.equal(await documents.nextNameIndex(context.id, 'Contract.pdf'), 3)
      await documents.update(id, { displayName: 'Rent' })
      await documents.update(id, { originalName: 'Let.pdf', nameIndex: 0 })
      assert.deepEqual([await found('rent'), await found('let.pdf'), await found('contract')], [1, 1, 0])
    })
  })
}

async function seedDocuments(repositories: Repositories, context: ContextRecord, random: Draws): Promise<Stored[]> {
  const { documents } = repositories
  const stored: Stored[] = []
  for (const [index, originalName] of [...NAMES, ...NAMES].entries()) {
    const uuid = uuidOf(context.id * 1_000 + index * 2 + 10)
    const status = random.pick(STATUSES)
    const record = await seedDocument(repositories, context, uuid, {
      ...STATES[status],
      originalName,
      nameIndex: random.below(3),
      displayName: random.below(3) === 0 ? random.pick(NAMES).slice(0, 100) : null,
      metadata: random.below(2) === 0 ? { year: 2_026 } : {},
    })
    if (random.below(6) === 0) {
      await documents.update(record.id, { deleted: NOW })
      continue
    }
    const statuses = [status]
    if (random.below(4) === 0) {
      const { id: _, ...values } = record
      const next = random.pick(STATUSES.filter((each) => each !== 'completed'))
      const replacing = { ...values, ...STATES[next], uuid: uuidOf(context.id * 1_000 + index * 2 + 11) }
      await documents.insert({ ...replacing, originalName: 'the next.txt', replaces: record.id })
      statuses.push(next)
    }
    stored.push({ record, statuses })
  }
  return stored
}

function uuidOf(number: number): string {
  return `bbbbbbbb-0000-4000-8000-${String(number).padStart(12, '0')}`
}

/** The rules in plain JavaScript, apart from the engine's own evaluation. @param part as a user types it */
function isWanted({ record, statuses }: Stored, { statuses: wanted, filter }: DocumentSelection, part: string) {
  if (wanted && !wanted.some((status) => statuses.includes(status))) return false
  if (filter && !('year' in record.metadata)) return false
  const uploaded = record.originalName.split(/[/\\]/).at(-1) ?? ''
  return [shownNameOf(record), uploaded].some((name) => folded(name).includes(folded(part)))
}

/** The name that users see: without the characters that some file systems refuse, and at most 255 bytes long. */
function shownNameOf({ displayName, originalName, nameIndex }: DocumentRecord): string {
  const name = (displayName?.replace('\\', '_') ?? originalName.split('\\').at(-1) ?? '').replace(/^con(?=\.)/, '_con')
  const [stem, ending] = [name.slice(0, name.lastIndexOf('.')), name.slice(name.lastIndexOf('.'))]
  if (displayName !== null && !name.includes('.')) return cut(name, 255)
  const index = displayName === null && nameIndex > 0 ? ` (${nameIndex})` : ''
  return cut(stem, 255 - index.length - ending.length) + index + ending
}

function cut(text: string, bytes: number): string {
  let kept = ''
  for (const character of text) {
    if (Buffer.byteLength(kept + character) > bytes) break
    kept += character
  }
  return kept
}

function folded(text: string): string {
  return Array.from(text.normalize('NFC'), (character) => character.toLowerCase().toUpperCase().toLowerCase())
    .join('')
    .normalize('NFC')
}

function positionOf(record: DocumentRecord): DocumentPosition {
  return { publicId: record.publicId, foldedName: folded(shownNameOf(record)) }
}

function compare(order: DocumentPage['order'], one: DocumentPosition, other: DocumentPosition): number {
  const names = Buffer.compare(Buffer.from(one.foldedName), Buffer.from(other.foldedName))
  if (order === 'name' && names !== 0) return names
  return order === 'newest' ? other.publicId - one.publicId : one.publicId - other.publicId
}

/** Draws pages and selections, the same ones for the same seed. */
class Draws {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  page(stored: readonly Stored[]): DocumentPage {
    const position = () => positionOf(this.pick(stored).record)
    return {
      order: this.pick(ORDERS),
      limit: this.pick([1, 3, 100]),
      ...(this.below(2) === 0 && { after: position() }),
      ...(this.below(3) === 0 && { upTo: position() }),
    }
  }

  selection(): { readonly selection: DocumentSelection; readonly part: string } {
    const part = this.below(2) === 0 ? this.pick(PARTS) : ''
    const selection: DocumentSelection = {
      ...(this.below(2) === 0 && { statuses: STATUSES.filter(() => this.below(2) === 0) }),
      ...(this.below(4) === 0 && { filter: { metadata: { year: 2_026 } } }),
      ...(part !== '' && { foldedPart: folded(part) }),
    }
    return { selection, part }
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T
  }

  /** @returns an integer from 0, below `end`. Source: Park and Miller 1988, "Random number generators" */
  below(end: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647
    return Math.floor((this.#state / 2_147_483_647) * end)
  }
}
