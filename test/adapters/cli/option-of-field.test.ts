import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../../temporary-folder.js'
import { runAlcoveHere } from './run-alcove-here.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
  await runAlcoveHere(['init'], { cwd: folder.path })
  await runAlcoveHere(['context', 'create', 'C', '--description', 'd', '--caption', 'c'], { cwd: folder.path })
})

afterAll(async () => {
  await folder.remove()
})

const CREATE = ['context', 'create', 'D', '--description', 'd']
const FAR = ['--embedding-url', 'http://127.0.0.1:9/v1', '--embedding-model', 'm']

it.each<[string, string[]]>([
  ['--filter', ['search', '--context', '1', 'a', '--filter', '{"metadata":{"year":{"between":1}}}']],
  ['--status', ['documents', '--context', '1', '--status', 'failed,broken']],
  ['--order', ['documents', '--context', '1', '--order', 'size']],
  ['--top', ['search', '--context', '1', 'a', '--top', '0']],
  ['--score-threshold', ['search', '--context', '1', 'a', '--score-threshold', '2']],
  ['--context', ['search', '--context', 'Nowhere', 'a']],
  ['--max-tokens', ['prepare', '--context', '1', 'a', '--max-tokens', '1']],
  ['--prompt', ['prepare', '--context', '1', 'a', '--prompt', ' ']],
  ['--name', ['context', 'update', '1', '--name', '']],
  ['--chunk-size', [...CREATE, '--chunk-size', '1']],
  ['--overlap', [...CREATE, '--overlap', '1']],
  ['--top-n', [...CREATE, '--top-n', '0']],
  ['--model', [...CREATE, '--model', '']],
  ['--owner-email', ['init', '--data-dir', 'other', '--owner-email', 'nobody']],
  ['--company', ['init', '--data-dir', 'other', '--company', ' ']],
  ['--webhook-allow', ['serve', '--port', '0', '--webhook-allow', '0.0.0.0/99']],
  ['--embedding-url', ['context', 'list', '--embedding-url', 'no', '--embedding-model', 'm']],
  ['--reranker-url', ['search', '--context', '1', 'a', '--reranker-url', 'no']],
  ['--reranker-model', ['context', 'list', '--reranker-model', 'm']],
  ['--reranker-model', ['serve', '--reranker-url', 'http://127.0.0.1:9/v1', '--reranker-model', '']],
  ['--reranker-key-file', ['serve', '--reranker-url', 'http://127.0.0.1:9/v1', '--reranker-key-file', '/missing/key']],
  ['--embedding-model', [...CREATE, '--model', 'm', '--embedding-model', '']],
  ['--embedding-model', [...CREATE, '--embedding-model', 'no-such-model']],
  ['--embedding-id', ['context', 'list', ...FAR, '--embedding-id', '']],
  ['--setup-url', ['serve', '--port', '0', '--setup-url', 'no']],
  ['--embedding-dimensions', ['serve', ...FAR, '--embedding-dimensions', '999999999']],
])('a message names the option %s: %j', async (option, args) => {
  const { exitCode, stderr } = await runAlcoveHere(args, { cwd: folder.path })
  expect([exitCode === 0, stderr.split('\n')[0]]).toEqual([
    false,
    expect.stringMatching(new RegExp(`^alcove: (?:${option}\\b|option '${option}\\b)`)) as string,
  ])
})
