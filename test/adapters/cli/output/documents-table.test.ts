import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../temporary-folder.js'
import type { Outcome } from '../run-alcove.js'
import { runAlcoveHere } from '../run-alcove-here.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

const alcove = async (...args: readonly string[]): Promise<Outcome> => await runAlcoveHere(args, { cwd: folder.path })

beforeAll(async () => {
  folder = await temporaryFolder()
  await alcove('init')
  await alcove('context', 'create', 'C')
  const files = {
    [`${'長い名前'.repeat(15)}.txt`]: 'Text.',
    [`${'name '.repeat(40)}.txt`]: 'Other.',
    'blank.txt': '  \n',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text)
  await alcove('ingest', '--context', 'C', ...Object.keys(files))
})

afterAll(async () => {
  await folder.remove()
})

/** The columns that a terminal takes for a line: these names have signs of two columns. */
function columnsOf(line: string): number {
  return line.length + (line.match(/[\p{Script=Han}\p{Script=Hiragana}]/gu) ?? []).length
}

describe('alcove documents', () => {
  it('fits 100 columns, and shows the status of each document', async () => {
    const { stdout, exitCode } = await alcove('documents', '--context', 'C')
    expect(exitCode).toBe(0)
    for (const line of stdout.split('\n')) expect(columnsOf(line)).toBeLessThanOrEqual(100)
    expect(stdout).toMatch(/document +│ name +│ bytes +│ chunks +│ status/)
    expect(stdout).toMatch(/1\/1 +│ 長い名前.*… +│ 5 +│ 1 +│ completed/)
    expect(stdout).toMatch(/1\/3 +│ blank\.txt +│ 4? *\d* *│ 0 +│ failed ERR_NO_TEXT/)
  })

  it('shows references that the other commands take', async () => {
    const listed = JSON.parse((await alcove('documents', '--context', 'C', '--json')).stdout) as { uuid: string }[]
    const shown = await alcove('documents', 'show', '1/3', '--json')
    expect(JSON.parse(shown.stdout)).toMatchObject({ id: 3, uuid: listed[2]?.uuid, displayName: 'blank.txt' })
    expect((await alcove('documents', 'text', '1/1')).stdout).toContain('Text.')
    expect((await alcove('documents', 'delete', '1/3')).stdout).toBe('Deleted blank.txt.\n')
    expect(await alcove('documents', 'show', '1/3')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('ERR_DOCUMENT_NOT_FOUND') as string,
    })
  })
})
