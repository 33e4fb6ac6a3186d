import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ContextSearchResult, DocumentWithReceipt } from '../../../src/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { LEFT_OUT, MISSING } from '../tesseract/installed.js'
import type { Outcome } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

const PICTURES = join(import.meta.dirname, '../../fixtures/pictures')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
  await mkdir(join(folder.path, 'inbox'))
  for (const name of ['handbook.jpg', 'two-pages.tiff']) {
    await copyFile(join(PICTURES, name), join(folder.path, 'inbox', name))
  }
  await alcove(['init', '--company', 'Acme', '--owner-email', 'owner@example.com'])
  await alcove(['context', 'create', 'Office'])
})
afterAll(async () => {
  await folder.remove()
})

async function alcove(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  return await runAlcoveHere(args, { cwd: folder.path, env })
}

const SEARCH = ['search', '--context', 'Office', '--json', '--include', 'source']

describe('pictures', () => {
  it('are left out of a folder, and refused by name with the command that adds text recognition', async () => {
    const { stderr } = await alcove(['ingest', '--context', 'Office', 'inbox'])
    expect(stderr).toContain('its format is not supported')
    const named = await alcove(['ingest', '--context', 'Office', 'inbox/handbook.jpg'])
    expect(named.exitCode).toBe(1)
    expect(named.stdout + named.stderr).toMatch(/npm install tesseract\.js @tesseract\.js-data\/eng .*--ocr eng/)
  })

  it('with a language that is no code are an error that names the option', async () => {
    const { exitCode, stderr } = await alcove([...SEARCH, 'leave', '--ocr', 'English, please'])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('--ocr: must be codes of languages joined by +, such as eng or eng+deu')
  })

  it.skipIf(MISSING.length > 0)(`are found by their text, with the page, with --ocr${LEFT_OUT}`, async () => {
    const { exitCode, stdout } = await alcove(['ingest', '--context', 'Office', 'inbox', '--ocr', 'eng'])
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('two-pages.tiff')])
    const found = await alcove([...SEARCH, 'How many weeks is parental leave?'])
    const hits = JSON.parse(found.stdout) as ContextSearchResult[]
    expect(hits.map(({ source }) => source.originalName)).toContain('handbook.jpg')
    const bicycles = await alcove([...SEARCH, 'bicycles have a number'])
    const [hit] = JSON.parse(bicycles.stdout) as ContextSearchResult[]
    expect(hit?.source).toMatchObject({ originalName: 'two-pages.tiff' })
  })

  it.skipIf(MISSING.length > 0)(`are read with the variable ALCOVE_OCR too${LEFT_OUT}`, async () => {
    await alcove(['context', 'create', 'Other'])
    const args = ['ingest', '--context', 'Other', 'inbox/two-pages.tiff', '--json']
    const { exitCode, stdout } = await alcove(args, { ALCOVE_OCR: 'eng' })
    expect(exitCode).toBe(0)
    const [document] = JSON.parse(stdout) as DocumentWithReceipt[]
    expect(document?.receipt).toMatchObject({ pages: 2, recognised: 2 })
  })
})
