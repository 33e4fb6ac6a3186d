import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../temporary-folder.js'
import { runAlcoveHere } from '../run-alcove-here.js'

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
    String.raw`with --data-dir 'my data'\''s', run "alcove init" first`,
  )
  expect(await run('init', '--data-dir', './other')).toBe('')
  const other = ['--data-dir', './other', '--embedding-url', 'http://127.0.0.1:9/v1', '--embedding-model', 'bge']
  const model = ['--embedding-dimensions', '8', '--embedding-window', '64', '--embedding-query-prefix', 'query: ']
  const typed = [...other, ...model, '--embedding-passage-prefix', 'passage: ']
  const repeated = `${[...other, ...model.slice(0, -1)].join(' ')} 'query: ' --embedding-passage-prefix 'passage: '`
  expect(await run('context', 'show', 'Nowhere', ...typed)).toContain(`"alcove context list ${repeated}" lists all`)
  // A variable holds for the next command too.
  const env = { ALCOVE_DATA_DIR: 'fourth' }
  const { stderr } = await runAlcoveHere(['context', 'list'], { cwd: folder.path, env })
  expect(stderr).toContain('run "alcove init" first')
})

it.each(['s3://key:secret@bucket', 's3://key:secret/and+more@bucket', 's3://bucket?key=secret'])(
  'a hint shows no secret of the address %s',
  async (address) => {
    const options = ['--files-url', address, '--secret-key-file', 'key']
    const { stderr } = await runAlcoveHere(['context', 'list', ...options], { cwd: folder.path })
    expect(stderr).toContain('with --files-url URL --secret-key-file key, run "alcove init" first')
    expect(stderr).not.toContain('secret@')
    expect(stderr).not.toContain('secret/')
    expect(stderr).not.toContain('=secret')
  },
)

it('a hint of a migration works on the folder that it copies', async () => {
  const args = ['migrate', '--from', './a', '--to', 'postgresql://user:secret@127.0.0.1:1/none', '--data-dir', './b']
  const { exitCode, stderr } = await runAlcoveHere(args, { cwd: folder.path })
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('with --data-dir ./a, run "alcove init" first')])
})
