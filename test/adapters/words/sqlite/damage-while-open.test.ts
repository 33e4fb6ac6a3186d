import { open as openFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSqlite } from '../../../../adapters/knex/index.js'
import { SqliteLexicalIndex } from '../../../../adapters/words/index.js'
import { VectorsDamagedError } from '../../../../src/index.js'
import { temporaryFolder } from '../../../temporary-folder.js'

const NAME = 'context-1-words-1'
/** A search keeps the runs of fewer chunks in memory. */
const CHUNKS = 3_000

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let file: string
let index: SqliteLexicalIndex

beforeEach(async () => {
  folder = await temporaryFolder()
  file = join(folder.path, `${NAME}.sqlite`)
})

afterEach(async () => {
  await index.close()
  await folder.remove()
})

/** Opens the index, which checks the file by the first search. */
async function openChecked(): Promise<void> {
  index = new SqliteLexicalIndex(folder.path, { maintains: false })
  expect((await search('first')).hits).toHaveLength(1)
}

async function search(...terms: readonly string[]) {
  return await index.search(NAME, new Map(terms.map((term) => [term, 1])), { limit: 5, similarTo: new Set(terms) })
}

/** Changes values behind the back of the index, without their checksums. */
async function damage(...statements: readonly string[]): Promise<void> {
  const knex = openSqlite(file)
  try {
    for (const statement of statements) await knex.raw(statement)
  } finally {
    await knex.destroy()
  }
}

/** Changes the run of the second document in its table, and not in the index of the table. */
async function damageRun(change: string): Promise<void> {
  await damage(
    "create table kept as select * from sqlite_schema where name = 'runs_of_document'",
    'pragma writable_schema = on',
    "delete from sqlite_schema where name = 'runs_of_document'",
    'pragma writable_schema = reset',
    `update runs set ${change} where document = 2`,
    'pragma writable_schema = on',
    'insert into sqlite_schema select * from kept',
    'pragma writable_schema = reset',
    'drop table kept',
  )
}

/** Adds a document in which each chunk is a run of its own: their ordinals have gaps. */
async function addRuns(chunks: number): Promise<void> {
  index = new SqliteLexicalIndex(folder.path, { maintains: false })
  const terms = Array.from({ length: chunks }, (_, at) => [at === 0 ? 'first' : 'other', at === 1 ? 'second' : 'all'])
  await index.add(NAME, { documentId: 1, chunks: terms.map((_, at) => at * 2), terms: [...terms] })
  await index.add(NAME, { documentId: 2, chunks: [0, 1, 2], terms: [['last'], ['lamps'], ['lamps']] })
  await index.close()
}

const FEW = 300
const LAST_ROW = "id = (select max(id) from postings where term = 'lamps')"

const READS: Readonly<Record<string, () => Promise<unknown>>> = {
  'a search': async () => await search('last'),
  'a search among some documents': async () =>
    await index.search(NAME, new Map([['last', 1]]), { limit: 5, documents: { only: [2] } }),
  'a search among all but some documents': async () =>
    await index.search(NAME, new Map([['last', 1]]), { limit: 5, documents: { except: [9] } }),
  'the count of a document': async () => await index.count(NAME, 2),
  'the counts of all documents': async () => await index.countByDocument(NAME),
  'a deletion of some chunks': async () => await index.deleteDocument(NAME, 2, 1),
  'an addition in the place of a chunk': async () =>
    await index.add(NAME, { documentId: 2, chunks: [1], terms: [['new']] }),
}

/** Counts take the other columns from the index, which is right. */
const COUNTS: readonly string[] = ['the count of a document', 'the counts of all documents']
const CHANGES = [
  'chunks = 2',
  'document = 7',
  'chunk = 1',
  'chunks = 0',
  'document = 0, chunk = 0, chunks = 0, length = 0',
]

it.each(
  CHANGES.flatMap((change) => Object.keys(READS).map((read) => [change, read] as const)).filter(
    ([change, read]) => change.includes('chunks') || !COUNTS.includes(read),
  ),
)('a run whose %s is noticed by %s, and stays refused', async (change, read) => {
  await addRuns(CHUNKS)
  await openChecked()
  await damageRun(change)
  await expect(READS[read]?.()).rejects.toBeInstanceOf(VectorsDamagedError)
  await expect(search('first')).rejects.toBeInstanceOf(VectorsDamagedError)
})

it.each(['document = 7', 'chunk = 1'])('a run whose %s does not change the counts', async (change) => {
  await addRuns(CHUNKS)
  await openChecked()
  await damageRun(change)
  expect(await index.count(NAME, 2)).toBe(3)
  expect((await index.countByDocument(NAME)).get(2)).toBe(3)
})

it('a changed byte of a run is noticed where it is read, on a page that no search has read', async () => {
  await addRuns(CHUNKS)
  await openChecked()
  const bytes = await readFile(file)
  // The end of the last run: document 2, chunk 0, 3 chunks with one term each.
  const lengths = bytes.lastIndexOf(Buffer.from('010000000100000001000000', 'hex'))
  expect(lengths).toBeGreaterThan(0)
  const handle = await openFile(file, 'r+')
  const run = bytes.subarray(0, lengths).lastIndexOf(Buffer.from([2, 3, 3]))
  expect(lengths - run).toBeLessThan(20)
  await handle.write(Buffer.from([1]), 0, 1, run)
  await handle.close()
  await expect(search('last')).rejects.toBeInstanceOf(VectorsDamagedError)
})

it('runs of a small collection are checked before they stay in memory', async () => {
  await addRuns(FEW)
  await openChecked()
  await damageRun('document = 9')
  await expect(search('last')).rejects.toBeInstanceOf(VectorsDamagedError)
})

it('the scores of other chunks are read from right runs alone', async () => {
  await addRuns(CHUNKS)
  await openChecked()
  const { scoresOf } = await search('last')
  await damageRun('chunk = 1')
  await expect(scoresOf([{ documentId: 2, chunk: 0 }])).rejects.toBeInstanceOf(VectorsDamagedError)
})

it('a deletion writes no damaged lengths back', async () => {
  await addRuns(FEW)
  await openChecked()
  await damage("update runs set lengths = x'090000000100000001000000' where document = 2")
  await expect(index.deleteDocument(NAME, 2, 1)).rejects.toBeInstanceOf(VectorsDamagedError)
  await index.close()
  index = new SqliteLexicalIndex(folder.path, { maintains: false })
  await expect(search('first')).rejects.toBeInstanceOf(VectorsDamagedError)
})

it.each([
  'update state set chunks = 5',
  'update state set length = 0',
  'update state set next = 0, chunks = 0, length = 0, deleted = 0, total = 0',
  'delete from state',
])('wrong totals are noticed by a search, an addition and a deletion: %s', async (change) => {
  await addRuns(FEW)
  for (const use of [
    async () => await search('all'),
    async () => await index.add(NAME, { documentId: 3, chunks: [0], terms: [['new']] }),
    async () => await index.deleteDocument(NAME, 2, 1),
  ]) {
    await openChecked()
    await damage('create table kept as select * from state', 'drop trigger total_of_state', change)
    await expect(use()).rejects.toBeInstanceOf(VectorsDamagedError)
    await index.close()
    const trigger = 'create trigger total_of_state after update of deleted on state begin select 1; end'
    await damage('delete from state', 'insert into state select * from kept', 'drop table kept', trigger)
  }
})

it.each([
  ['the parts of a word', 'update new_grams set entries = zeroblob(length(entries))'],
  ['the postings of a similar word', "update postings set postings = zeroblob(length(postings)) where term = 'lamps'"],
])('%s are checked by a search for a similar word', async (_what, change) => {
  await addRuns(FEW)
  await openChecked()
  await damage(change)
  await expect(search('lamping')).rejects.toBeInstanceOf(VectorsDamagedError)
})

it.each([
  ['term', "term = 'lamps' || term where id = (select min(id) from postings where term = 'lamps')"],
  ['number of postings before', `before = 3 where ${LAST_ROW}`],
  ['end', `postings = cast(postings || x'0000100000010001' as blob) where ${LAST_ROW}`],
])('the %s of a similar word with many postings is checked by a search', async (_what, change) => {
  index = new SqliteLexicalIndex(folder.path, { maintains: false })
  const terms = Array.from({ length: CHUNKS }, (_, at) => (at === 0 ? ['first'] : ['lamps', `own${at}`]))
  for (let part = 0; part < 3; part += 1) {
    const rows = terms.slice(part * 1_000, (part + 1) * 1_000)
    await index.add(NAME, { documentId: part + 1, chunks: rows.map((_, at) => at), terms: rows })
  }
  await index.close()
  await openChecked()
  await damage(`update postings set ${change}`)
  await expect(search('lamping')).rejects.toBeInstanceOf(VectorsDamagedError)
})
