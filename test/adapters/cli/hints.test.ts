import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../temporary-folder.js'
import { runAlcoveHere } from './run-alcove-here.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  await folder.remove()
})

it('a hint has the options that the command had, so that a copied one works', async () => {
  const run = async (...args: string[]): Promise<string> => (await runAlcoveHere(args, { cwd: folder.path })).stderr
  expect(await run('context', 'list')).toContain('run "alcove init" first')
  expect(await run('context', 'list', '--data-dir', "my data's")).toContain(
    String.raw`run "alcove init --data-dir 'my data'\''s'" first`,
  )
  expect(await run('init', '--data-dir', './other')).toBe('')
  const other = ['--data-dir', './other', '--embedding-url', 'http://127.0.0.1:9/v1', '--embedding-model', 'bge']
  expect(await run('context', 'show', 'Nowhere', ...other)).toContain(
    '"alcove context list --data-dir ./other --embedding-url http://127.0.0.1:9/v1 --embedding-model bge" lists all',
  )
  // A variable holds for the next command too.
  const env = { ALCOVE_DATA_DIR: 'fourth' }
  const { stderr } = await runAlcoveHere(['context', 'list'], { cwd: folder.path, env })
  expect(stderr).toContain('run "alcove init" first')
})

it('a hint shows no secret of an address', async () => {
  const secret = ['--files-url', 's3://key:secret@bucket', '--secret-key-file', 'key']
  const { stderr } = await runAlcoveHere(['context', 'list', ...secret], { cwd: folder.path })
  expect(stderr).toContain('"alcove init --files-url URL --secret-key-file key" first')
  expect(stderr).not.toContain('secret@')
})
