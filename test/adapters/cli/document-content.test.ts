import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Document, DocumentChunk, SearchResult } from '../../../src/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import type { Outcome } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

const TEXT = `# Machines\n\n${'Some words of a text. '.repeat(500)}\n\n## Boiler \n\nValve E-4711 opens the boiler.\n`

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let uuid: string

const alcove = async (...args: readonly string[]): Promise<Outcome> => await runAlcoveHere(args, { cwd: folder.path })

beforeEach(async () => {
  folder = await temporaryFolder()
  await alcove('init')
  await alcove('context', 'create', 'Parts')
  await writeFile(join(folder.path, 'parts.md'), TEXT)
  const { stdout } = await alcove('ingest', '--context', 'Parts', '--json', 'parts.md')
  uuid = (JSON.parse(stdout) as Document[])[0]?.uuid ?? ''
})

afterEach(async () => {
  await folder.remove()
})

describe('alcove documents', () => {
  it('text prints the text, or the part of a hit', async () => {
    expect((await alcove('documents', 'text', uuid)).stdout).toBe(TEXT)
    const found = await alcove('search', '--context', 'Parts', '--json', '--include', 'source', 'valve E-4711')
    const [hit] = JSON.parse(found.stdout) as SearchResult[]
    expect(hit?.source.headings[0]).toBe('Machines')
    const part = ['--start', String(hit?.source.start), '--end', String(hit?.source.end)]
    expect((await alcove('documents', 'text', uuid, ...part)).stdout).toBe(hit?.content)
    const { stdout: json } = await alcove('documents', 'text', uuid, '--json', '--start', '2', '--end', '10')
    expect(JSON.parse(json)).toEqual({ start: 2, end: 10, length: TEXT.length, text: 'Machines' })
    const { exitCode, stderr } = await alcove('documents', 'text', uuid, '--end', '1000000')
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`end: must be at most ${TEXT.length}`)])
  })

  it('text of a document that failed says why, and how to go on', async () => {
    await writeFile(join(folder.path, 'blank.txt'), '  \n')
    const ingested = await alcove('ingest', '--context', 'Parts', '--json', 'blank.txt')
    const failed = (JSON.parse(ingested.stdout) as Document[])[0]?.uuid ?? ''
    const { exitCode, stderr } = await alcove('documents', 'text', failed)
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('has no text: it has failed: The file has no text (ERR_NO_TEXT)'),
    ])
  })

  it('content saves the bytes, and never over another file', async () => {
    const saved = await alcove('documents', 'content', uuid, '--output', 'copy.md')
    expect(saved.stdout).toBe(`Saved ${Buffer.byteLength(TEXT)} bytes as copy.md.\n`)
    expect(await readFile(join(folder.path, 'copy.md'), 'utf8')).toBe(TEXT)
    const { exitCode, stderr } = await alcove('documents', 'content', uuid)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('output: the file parts.md exists already')])
  })

  it('chunks lists the chunks with their offsets and headings', async () => {
    const chunks = JSON.parse((await alcove('documents', 'chunks', uuid, '--json')).stdout) as DocumentChunk[]
    expect(chunks.length).toBeGreaterThan(1)
    for (const { start, end, content } of chunks) expect(TEXT.slice(start, end)).toBe(content)
    const { stdout } = await alcove('documents', 'chunks', uuid, '--limit', '1')
    expect(stdout.split('\n')[0]).toBe(`0. 0–${chunks[0]?.end}  Machines`)
    expect(stdout).toContain('more: --after 0\n')
  })
})
