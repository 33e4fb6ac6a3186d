import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { searchBodySchema } from '../../src/index.js'
import { temporaryFolder } from '../temporary-folder.js'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const page = await readFile(join(ROOT, 'docs/explanation/search.md'), 'utf8')

/** The first code block of the page in a language that contains a text. */
function block(language: string, part: string): string {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```/gms)]
  return blocks.find(([, found, code]) => found === language && code?.includes(part))?.[2] ?? ''
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
  await mkdir(join(folder.path, 'node_modules'))
  await symlink(ROOT, join(folder.path, 'node_modules/alcove'), 'dir')
  await writeFile(join(folder.path, 'program.mjs'), block('js', 'session.search'))
})

afterEach(async () => {
  await folder.remove()
})

describe('docs/explanation/search.md', () => {
  it('contains a program and commands that run unchanged', async () => {
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder.path })
    const [code, question, word] = stdout.trim().split('\n')
    expect(code).toMatch(/^pumps\.txt Pump HC-2040-B has a gasket of 71 mm\. \[ 'words', 'meaning' \] 0\.\d+ 0\.\d+$/)
    expect(question).toMatch(/^leave\.txt .*parents.* \[ 'words', 'meaning' \] 0\.\d+ 0\.\d+$/)
    expect(word).toMatch(/^\S+ (?:Pump|Valve) HC-2040-\w has a gasket of 7\d mm\. \[ 'words' \] 0\.\d+ 0\.\d+$/)

    const alcove = `${process.execPath} ${join(ROOT, 'dist/adapters/cli/bin.js')}`
    const commands = block('sh', 'alcove search').replaceAll(/^alcove/gm, alcove)
    const env = { ...process.env, PATH: process.env['PATH'] ?? '' }
    await run('sh', ['-e', '-c', `${alcove} init`], { cwd: folder.path, env })
    const shown = await run('sh', ['-e', '-c', commands], { cwd: folder.path, env })
    expect(shown.stdout).toMatch(/^1\. 0\.\d{3} {2}pumps\.txt\n {3}score 0\.\d{3}, found by words\n {3}Pump HC-2040-B/)
    const results = JSON.parse(shown.stdout.trim().split('\n').at(-1) ?? '') as object[]
    expect(Object.keys(results[0] ?? {})).toEqual([
      'id',
      'docId',
      'content',
      'similarity',
      'score',
      'source',
      'snippet',
    ])
  })

  it('requests over REST only members that the description of the API contains', async () => {
    const [, body = ''] = /-d '([^']*)'/.exec(block('sh', 'curl')) ?? []
    const parsed = searchBodySchema.parse(JSON.parse(body))
    expect(parsed).toEqual(JSON.parse(body))
  })
})
