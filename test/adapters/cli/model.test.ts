import { readdir, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelReport } from '../../../adapters/local/index.js'
import { writeTinyModel } from '../../fixtures/tiny-models.js'
import { temporaryFolder } from '../../temporary-folder.js'
import type { Outcome } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
  await writeTinyModel(join(folder.path, 'tiny'), 'unigram')
})
afterAll(async () => {
  await folder.remove()
})

async function alcove(...args: readonly string[]): Promise<Outcome> {
  return await runAlcoveHere(args, { cwd: folder.path })
}

describe('alcove model', () => {
  it('adds a model, lists it, checks it, and makes a context with it', async () => {
    const added = await alcove('model', 'add', 'tiny', '--query-prefix', 'ask: ')
    expect(added).toMatchObject({ exitCode: 0, stderr: '' })
    expect(added.stdout).toMatch(/^Model tiny added, [\d.]+ MB\.\n48 dimensions, windows of 128 tokens, mean pooling/)
    expect(added.stdout).toContain(
      'query prefix "ask: ", passage prefix "passage: "; its tokenizer is @huggingface/tokenizers',
    )
    expect((await alcove('model', 'add', 'tiny', '--query-prefix', 'ask: ')).stdout).toMatch(
      /^Model tiny is there already/,
    )

    const listed = JSON.parse((await alcove('model', 'list', '--json')).stdout) as unknown
    expect(listed).toMatchObject([
      { id: 'all-MiniLM-L6-v2', isDefault: true },
      { id: 'tiny', tokenizer: '@huggingface/tokenizers' },
    ])

    const checked = await alcove('model', 'check', 'tiny')
    expect(checked).toMatchObject({ exitCode: 0, stderr: '' })
    expect(checked.stdout).toMatch(
      /right: deterministic.*\n(.*\n)*A query takes [\d.]+ ms\. [\d.]+ windows of 128 tokens/,
    )
    const report = JSON.parse((await alcove('model', 'check', 'tiny', '--json')).stdout) as ModelReport
    expect(report.checks.filter(({ isRight }) => !isRight)).toEqual([])
    expect(report).toMatchObject({ id: 'tiny', isUsable: true, memoryMb: expect.any(Number) as number })

    await alcove('init', '--company', 'Acme', '--owner-email', 'owner@example.com')
    await alcove('context', 'create', 'Town', '--model', 'tiny')
    expect((await alcove('context', 'list', '--json')).stdout).toContain('"embeddingModel":"tiny"')
  })

  it('lists the model on a server first, as that of new contexts, and does not ask the server', async () => {
    const remote = ['--embedding-url', 'http://127.0.0.1:9/v1', '--embedding-model', 'far']
    const { stdout, exitCode } = await alcove('model', 'list', '--json', ...remote)
    expect(exitCode).toBe(0)
    const models = JSON.parse(stdout) as { readonly id: string; readonly isDefault: boolean }[]
    expect(models[0]).toMatchObject({ id: 'far', adapter: 'openai', isDefault: true, dimensions: null })
    expect(models.find(({ id }) => id === 'all-MiniLM-L6-v2')).toMatchObject({
      tokenizer: 'word-piece',
      isDefault: false,
    })
  })

  it('says that a truncated graph is damaged, and blames no version', async () => {
    const cut = join(folder.path, 'cut')
    await writeTinyModel(cut, 'unigram')
    const [graph = ''] = (await readdir(join(cut, 'onnx'))).map((name) => join(cut, 'onnx', name))
    await truncate(graph, Math.floor((await stat(graph)).size / 2))
    const { exitCode, stderr } = await alcove('model', 'add', 'cut')
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/is damaged, incomplete or no ONNX file: copy or download it again/) as string,
    ])
  })

  it('says what a folder lacks', async () => {
    expect(await alcove('model', 'add', 'no-such-folder')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /no readable profile\.json, or does not exist.*config\.json.*\(ERR_MODEL_MISSING\)\n$/,
      ) as string,
    })
    expect(await alcove('model', 'check', 'no-such-model')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('ERR_MODEL_MISSING') as string,
    })
  })
})
