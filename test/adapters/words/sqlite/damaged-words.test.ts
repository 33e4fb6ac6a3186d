import { copyFile, mkdir, open as openFile, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openSqlite } from '../../../../adapters/knex/index.js'
import { SqliteLexicalIndex } from '../../../../adapters/words/index.js'
import { VectorsDamagedError } from '../../../../src/index.js'
import { generateTexts } from '../../../conformance/lexical-rows.js'
import { sized } from '../../../full-form.js'
import { seededRandom } from '../../../seeded-random.js'
import { temporaryFolder } from '../../../temporary-folder.js'

const NAME = 'context-1-words-1'
const PLACES = sized(60, 600)
const LETTERS = 'abcdefghiklmnoprstuv'
const ENDINGS = ['', 's', 'ing'] as const
const { documents, questions } = inWords(generateTexts(40, 25))

/** Makes words of letters of the terms: documents have inflections, questions have others of them or typing errors. */
function inWords(texts: ReturnType<typeof generateTexts>): ReturnType<typeof generateTexts> {
  const random = seededRandom(45)
  const stems = new Map<string, string>()
  const stemOf = (term: string): string => {
    const stem = stems.get(term) ?? Array.from({ length: 6 }, () => LETTERS[Math.floor(random() * 20)]).join('')
    stems.set(term, stem)
    return stem
  }
  return {
    documents: texts.documents.map((rows) => ({
      ...rows,
      terms: rows.terms.map((terms) => terms.map((term, at) => stemOf(term) + (ENDINGS[at % 3] ?? ''))),
    })),
    questions: texts.questions.map((question, number) => {
      const asked = [...question].map(([term, weight], at) => {
        const stem = stemOf(term)
        const mistyped = `${stem.slice(0, 4)}x${stem.slice(5)}`
        return [[`${stem}ed`, stem, mistyped][(number + at) % 3] ?? '', weight] as const
      })
      return new Map(asked)
    }),
  }
}

/** All that searches find in a folder, or the name of the damage. */
async function answersOf(folder: string): Promise<unknown> {
  const index = new SqliteLexicalIndex(folder, { maintains: false })
  try {
    const answers: unknown[] = []
    for (const question of questions.slice(0, 8)) {
      const terms = [...question.keys()]
      const { hits, maximum, similar } = await index.search(NAME, question, { limit: 50, similarTo: new Set(terms) })
      answers.push({ hits, maximum, similar, counts: [...(await index.countTerms(NAME, terms))] })
    }
    return answers
  } catch (error) {
    if (error instanceof VectorsDamagedError) return 'damaged'
    throw error
  } finally {
    await index.close().catch(() => undefined)
  }
}

it('a damaged file gives the same answers or an error, never others: bits, blocks and ends at seeded places', async () => {
  const folder = await temporaryFolder()
  const original = join(folder.path, 'original')
  const index = new SqliteLexicalIndex(original)
  for (const rows of documents) await index.add(NAME, rows)
  await index.deleteDocument(NAME, 3, 0)
  await index.close()
  const expected = await answersOf(original)
  expect(expected).not.toBe('damaged')
  const file = join(original, `${NAME}.sqlite`)
  const { length } = await readFile(file)
  const next = seededRandom(44)
  const copy = join(folder.path, 'copy')
  await mkdir(copy)
  const damagedFile = join(copy, `${NAME}.sqlite`)
  let noticed = 0
  for (let place = 0; place < PLACES; place += 1) {
    await copyFile(file, damagedFile)
    const at = Math.floor(next() * length)
    const kind = ['bit', 'block', 'cut'][place % 3]
    if (kind === 'cut') await truncate(damagedFile, at)
    else {
      const handle = await openFile(damagedFile, 'r+')
      const bytes = Buffer.alloc(kind === 'bit' ? 1 : 512)
      if (kind === 'bit') await handle.read(bytes, 0, 1, at)
      if (kind === 'bit') bytes[0] = (bytes[0] ?? 0) ^ (1 << Math.floor(next() * 8))
      await handle.write(bytes, 0, Math.min(bytes.length, length - at), at)
      await handle.close()
    }
    const found = await answersOf(copy)
    if (found === 'damaged') noticed += 1
    else expect(found, `${kind} at ${at}`).toEqual(expected)
  }
  // Some bits are in no part that is read.
  expect(noticed).toBeGreaterThan(PLACES / 2)
  await folder.remove()
}, 300_000)

it.each(['grams', 'new_grams'])('notices a block of zeros in %s before a search uses it', async (table) => {
  const folder = await temporaryFolder()
  const index = new SqliteLexicalIndex(folder.path)
  for (const rows of documents) await index.add(NAME, rows)
  await index.close()
  const file = join(folder.path, `${NAME}.sqlite`)
  const knex = openSqlite(file)
  const rows = await knex.raw<{ entries: Buffer }[]>(`select entries from ${table}`)
  await knex.destroy()
  expect(rows.length).toBeGreaterThan(0)
  const bytes = await readFile(file)
  const next = seededRandom(46)
  for (let place = 0; place < 4; place += 1) {
    const entries = rows[Math.floor(next() * rows.length)]?.entries ?? Buffer.alloc(0)
    const at = bytes.indexOf(entries.subarray(0, 64))
    expect(at).toBeGreaterThan(0)
    const damaged = Buffer.from(bytes)
    damaged.fill(0, at, at + Math.min(entries.length, 64))
    await writeFile(file, damaged)
    expect(await answersOf(folder.path)).toBe('damaged')
  }
  await folder.remove()
})

it('a file that is damaged while it is open is noticed where it is read, and stays refused until it is dropped', async () => {
  const folder = await temporaryFolder()
  const index = new SqliteLexicalIndex(folder.path)
  const terms = Array.from({ length: 3_000 }, (_, at) => [`own-${at}`, 'all'])
  await index.add(NAME, { documentId: 1, chunks: terms.map((_, at) => at), terms })
  await index.close()
  const opened = new SqliteLexicalIndex(folder.path)
  expect((await opened.search(NAME, new Map([['own-2900', 1]]), { limit: 1 })).hits).toHaveLength(1)
  const file = join(folder.path, `${NAME}.sqlite`)
  const handle = await openFile(file, 'r+')
  const bytes = await readFile(file)
  // A posting of the word that all chunks have, on a page that the first search has not read.
  const postings = Buffer.from('0000000000010002000000010001', 'hex')
  let at = bytes.indexOf(postings)
  expect(at).toBeGreaterThan(0)
  for (; at !== -1; at = bytes.indexOf(postings, at + 1)) await handle.write(Buffer.from([7]), 0, 1, at + 5)
  await handle.close()
  await expect(opened.search(NAME, new Map([['all', 1]]), { limit: 1 })).rejects.toBeInstanceOf(VectorsDamagedError)
  await expect(opened.add(NAME, { documentId: 2, chunks: [0], terms: [['new']] })).rejects.toBeInstanceOf(
    VectorsDamagedError,
  )
  await opened.drop(NAME)
  await opened.add(NAME, { documentId: 2, chunks: [0], terms: [['new']] })
  expect((await opened.search(NAME, new Map([['new', 1]]), { limit: 1 })).hits).toHaveLength(1)
  await opened.close()
  await folder.remove()
})
