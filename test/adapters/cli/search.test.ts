import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Document, SearchExplanation, SearchResult } from '../../../src/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import type { Outcome } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

const PARTS = [
  ['valves.txt', 'Valve E-4711 opens the boiler of the large machine.'],
  ['filters.txt', 'Filter E-4712 keeps the grounds of the small machine back.'],
] as const

/** A folder with the data of all tests. Each test has a copy: to ingest takes much longer. */
let filled: Awaited<ReturnType<typeof temporaryFolder>>
let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  filled = await temporaryFolder()
  folder = filled
  await alcove('init')
  await alcove('context', 'create', 'Parts')
  for (const [name, text] of PARTS) await writeFile(join(folder.path, name), text)
  await alcove('ingest', '--context', 'Parts', ...PARTS.map(([name]) => name))
})

beforeEach(async () => {
  folder = await temporaryFolder()
  await cp(filled.path, folder.path, { recursive: true })
})

afterEach(async () => {
  await folder.remove()
})

afterAll(async () => {
  await filled.remove()
})

const alcove = async (...args: readonly string[]): Promise<Outcome> => await runAlcoveHere(args, { cwd: folder.path })

async function search(...args: readonly string[]): Promise<SearchResult[]> {
  const { exitCode, stdout, stderr } = await alcove('search', '--context', 'Parts', '--json', ...args)
  expect(exitCode, stderr).toBe(0)
  return JSON.parse(stdout) as SearchResult[]
}

describe('alcove search', () => {
  it('prints the four fields of the specification, and the fields that --include names', async () => {
    const fields = ['id', 'docId', 'content', 'similarity']
    for (const result of await search('E-4711')) expect(Object.keys(result)).toEqual(fields)
    const [best] = await search('E-4711', '--include', 'match, source,score')
    expect(Object.keys(best ?? {})).toEqual([...fields, 'score', 'source', 'match'])
    expect(best?.source).toMatchObject({ displayName: 'valves.txt', start: 0, end: 51, foundBy: ['words', 'meaning'] })
    expect(best?.content.slice(best.match.start, best.match.end)).toBe(
      'Valve E-4711 opens the boiler of the large machine.',
    )
    const [{ snippet } = { snippet: '' }] = await search('E-4711', '--include', 'snippet')
    expect(snippet).toBe('Valve E-4711 opens the boiler of the large machine.')
    expect(Object.keys((await search('E-4711', '--include', 'score'))[0] ?? {})).toEqual([...fields, 'score'])
  })

  it('finds chunks by words alone, by meaning alone, or by both', async () => {
    const foundBy = async (...args: readonly string[]): Promise<unknown[]> => {
      const results = await search('E-4712', '--include', 'source', ...args)
      return results.map(({ source }) => [source.displayName, ...source.foundBy])
    }
    const [byBoth, byWords] = [await foundBy('--mode', 'hybrid'), await foundBy('--mode', 'keyword')]
    expect(byBoth[0]).toEqual(['filters.txt', 'words', 'meaning'])
    expect(byWords[0]).toEqual(['filters.txt', 'words'])
    const byMeaning = await foundBy('--mode', 'semantic')
    expect(byMeaning.map((result) => (result as string[]).slice(1))).toEqual([['meaning'], ['meaning']])
    expect(await foundBy()).toEqual(byBoth)
    await alcove('context', 'update', 'Parts', '--search-mode', 'keyword')
    expect(await foundBy()).toEqual(byWords)
    await alcove('context', 'update', 'Parts', '--finds-early', 'off')
    expect(await foundBy()).toEqual(byWords)
  })

  it('drops results below --score-threshold, whatever the setting of the context', async () => {
    const similarities = (await search('E-4711', '--score-threshold', '0')).map(({ similarity }) => similarity)
    expect(similarities).toHaveLength(2)
    const between = (Math.max(...similarities) + Math.min(...similarities)) / 2
    expect(await search('E-4711', '--score-threshold', String(between))).toHaveLength(1)
    await alcove('context', 'update', 'Parts', '--score-threshold', '1')
    expect(await search('E-4711')).toEqual([])
    expect(await search('E-4711', '--score-threshold', '0')).toHaveLength(2)
    const { stdout } = await alcove('search', '--context', 'Parts', '--explain', '--score-threshold', '0.99', 'E-4711')
    expect(stdout).toContain('scoreThreshold 0.99')
    const refused = await alcove('search', '--context', 'Parts', '--score-threshold', '2', 'E-4711')
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('--score-threshold: ') as string })
  })

  it('prints the score, the document and the reason of each hit as text', async () => {
    const { stdout } = await alcove('search', '--context', 'Parts', '--top', '1', 'Which part is E-4711?')
    const [title, score, text] = stdout.split('\n')
    expect(title).toMatch(/^1\. 0\.\d{3} {2}valves\.txt$/)
    expect(score).toMatch(/^ {3}score 0\.\d{3}, found by words and meaning$/)
    expect(text).toBe(`   ${PARTS[0][1]}`)
  })

  it('prints the words that were taken for others as text', async () => {
    const { stdout } = await alcove('search', '--context', 'Parts', '--top', '1', 'boilre of the machine')
    expect(stdout).toContain(`\n   boilre: found as boiler\n   ${PARTS[0][1]}\n`)
    const { stdout: found } = await alcove('search', '--context', 'Parts', '--top', '1', 'boiler of the machine')
    expect(found).not.toContain('found as')
  })

  it('prints the passage that matched as text, wherever it is in a long chunk', async () => {
    const filler = Array.from({ length: 90 }, (_, at) => `Line ${at} is about the weather of the harbour.`)
    const lines = [...filler.slice(0, 60), 'The spare key hangs behind the XK-77 cabinet.', ...filler.slice(60)]
    await writeFile(join(folder.path, 'long.txt'), lines.join('\n'))
    await alcove('context', 'create', 'Long', '--chunk-size', '4000', '--search-mode', 'keyword', '--finds-early', 'on')
    await alcove('ingest', '--context', 'Long', 'long.txt', 'valves.txt')
    const { stdout } = await alcove('search', '--context', 'Long', 'XK-77')
    expect(stdout).toMatch(/^ {3}… after 2\d{3} characters\n {3}Line [45]\d is about the weather/m)
    expect(stdout).toContain('   The spare key hangs behind the XK-77 cabinet.\n')
    expect(stdout).toMatch(/^ {3}… and \d+ more characters \(--json prints all\)$/m)
    expect(stdout).not.toContain('Line 0 ')
  })

  it('searches several contexts, and says the context of each hit', async () => {
    await alcove('context', 'create', 'More parts, in stock')
    await writeFile(join(folder.path, 'more.txt'), 'Valve E-4711 is in stock.')
    await alcove('ingest', '--context', 'More parts, in stock', 'more.txt')
    const both = ['--context', 'More parts, in stock']
    const results = await search('E-4711', '--mode', 'keyword', ...both)
    expect(results.map((result) => Object.keys(result))).toEqual(
      Array.from({ length: 2 }, () => ['contextId', 'id', 'docId', 'content', 'similarity']),
    )
    expect(results.map(({ content }) => content).sort()).toEqual([PARTS[0][1], 'Valve E-4711 is in stock.'].sort())
    expect(await search('E-4711', '--mode', 'keyword', '--top', '1', ...both)).toEqual(results.slice(0, 1))
    const { stdout } = await alcove('search', '--context', 'Parts', ...both, 'E-4711', '--mode', 'keyword')
    expect(stdout).toMatch(/^\d\. 0\.\d{3} {2}More parts, in stock: more\.txt$/m)
    expect(stdout).toMatch(/^\d\. 0\.\d{3} {2}Parts: valves\.txt$/m)
    const twice = await alcove('search', '--context', 'Parts', '--context', 'Parts', 'E-4711', '--top', '1')
    expect(twice.stdout).toMatch(/^1\. 0\.\d{3} {2}valves\.txt$/m)
    const unknown = await alcove('search', '--context', 'Parts', '--context', 'Nothing', 'E-4711')
    expect([unknown.exitCode, unknown.stdout]).toEqual([1, ''])
    expect(unknown.stderr).toContain('no context has the id or name Nothing')
  })

  it('explains what it finds, and why it finds nothing', async () => {
    const found = await alcove('search', '--context', 'Parts', '--explain', 'Which part is E-4711?', '--top', '1')
    expect(found.stdout).toMatch(/^context 1 \(Parts\): 1 result of at most 1, mode hybrid$/m)
    expect(found.stdout).toMatch(
      /^documents: 2 in all, 2 searchable, 0 waiting \(0 of them searchable by words\), 0 failed$/m,
    )
    expect(found.stdout).toMatch(/^ {2}E-4711 \(e4711\): in 1 document, 1 chunk$/m)
    expect(found.stdout).toMatch(
      /^ {2}1\. score 0\.\d{3} {2}valves\.txt; words: rank 1, score [1-9]\S*; meaning: rank \d,/m,
    )
    const nothing = await alcove('search', '--context', 'Parts', '--explain', '--mode', 'keyword', 'zebra')
    expect(nothing.stdout).toContain('No document has a word of the prompt')
    const [one, both] = [
      ['--context', 'Parts'],
      ['--context', 'Parts', '--context', 'Empty'],
    ]
    const { stdout } = await alcove('search', ...one, '--explain', '--json', '--mode', 'keyword', 'zebra')
    expect((JSON.parse(stdout) as SearchExplanation).reasons).toMatchObject([{ code: 'words-not-found' }])
    await alcove('context', 'create', 'Empty')
    const several = await alcove('search', ...both, '--explain', '--json', 'E-4711')
    const [, empty] = JSON.parse(several.stdout) as SearchExplanation[]
    expect(empty?.reasons.map(({ code }) => code)).toEqual(['other-context', 'no-documents'])
  })

  it('refuses unknown modes and members, and lists the known ones', async () => {
    const wrong: [expected: RegExp, ...args: string[]][] = [
      [/'fuzzy' is invalid\. Allowed choices are hybrid, semantic, keyword;/, 'search', '--mode', 'fuzzy'],
      [
        /Unknown member "vector"; expected one of score, source, match, snippet;/,
        'search',
        '--include',
        'score,vector',
      ],
      [/'maybe' is invalid\. Allowed choices are on, off;/, 'context', 'update', 'Parts', '--finds-early', 'maybe'],
      [/Allowed choices are hybrid, semantic, keyword;/, 'context', 'create', 'X', '--search-mode', 'words'],
    ]
    for (const [expected, ...args] of wrong) {
      const more = args[0] === 'search' ? ['--context', 'Parts', 'E-4711'] : []
      const { exitCode, stdout, stderr } = await alcove(...args, ...more)
      expect([exitCode, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(expected)
    }
  })
})

describe('metadata on the command line', () => {
  it('are given by ingest, changed by documents update, and select documents', async () => {
    await writeFile(join(folder.path, 'seals.txt'), 'Seal E-4713 keeps the boiler of the large machine tight.')
    await alcove('ingest', '--context', 'Parts', '--metadata', '{"machine":"large","year":2025}', 'seals.txt')
    const list = async (...args: readonly string[]): Promise<Document[]> =>
      JSON.parse((await alcove('documents', '--context', 'Parts', '--json', ...args)).stdout) as Document[]
    const [seals] = await list('--filter', '{"metadata":{"machine":"large"}}')
    expect(seals).toMatchObject({ originalName: 'seals.txt', metadata: { machine: 'large', year: 2025 } })
    const changes = ['--metadata', '{"year":2026,"machine":null}', '--name', 'Seals of 2026']
    const { stdout } = await alcove('documents', 'update', seals?.uuid ?? '', ...changes)
    expect(stdout).toBe('Updated Seals of 2026: {"year":2026}\n')
    const names = async (...args: readonly string[]): Promise<readonly string[]> =>
      (await list(...args)).map(({ displayName }) => displayName)
    const all = await names()
    expect(await names('--order', 'newest')).toEqual(all.toReversed())
    const byName = all.toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
    expect(await names('--order', 'name', '--status', 'completed,failed')).toEqual(byName)
    expect(await names('--status', 'failed', '--status', 'waiting')).toEqual([])
    expect(await names('--name', 'SEALS.')).toEqual(['Seals of 2026'])
    expect(await names('--name', 'of 2026')).toEqual(['Seals of 2026'])
    const update = async (...args: readonly string[]): Promise<Outcome> =>
      await alcove('documents', 'update', seals?.uuid ?? '', ...args)
    expect((await update('--reset-name')).stdout).toBe('Updated seals.txt: {"year":2026}\n')
    const both = await update('--reset-name', '--name', 'Seals')
    expect([both.exitCode, both.stderr]).toEqual([2, expect.stringContaining('cannot be used with option')])
    expect((await update('--metadata', '[]')).exitCode).toBe(1)
    expect((await update('--metadata', 'nothing')).exitCode).toBe(2)
    const found = await search('machine', '--filter', '{"metadata":{"year":{"gte":2026}}}')
    expect(found.map(({ docId }) => docId)).toEqual([seals?.id])
    expect(await search('machine', '--filter', '{"metadata":{"machine":"large"}}')).toEqual([])
    expect((await update('--metadata', 'null')).stdout).toBe('Updated seals.txt: {}\n')
    expect(await search('machine', '--filter', '{"metadata":{"year":{"exists":true}}}')).toEqual([])
    const refused = await alcove(
      'search',
      '--context',
      'Parts',
      '--filter',
      '{"metadata":{"year":{"min":1}}}',
      'machine',
    )
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('--filter metadata.year.min: is unknown') as string,
    })
    expect((await alcove('search', '--context', 'Parts', '--filter', 'year', 'machine')).stderr).toContain('as JSON')
  })
})
