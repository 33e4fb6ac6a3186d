import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HubServer, startHubServer } from '../../servers/hub-server.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { writeSmallModel } from '../tools/models/small-model.js'
import type { Outcome } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let hub: HubServer
let commit: string
beforeAll(async () => {
  folder = await temporaryFolder()
  hub = await startHubServer()
  await writeSmallModel(join(folder.path, 'published'))
  commit = await hub.publish('Xenova/multilingual-e5-small', join(folder.path, 'published'))
  await hub.publish('maker/small', join(folder.path, 'published'))
})
afterAll(async () => {
  await hub.close()
  await folder.remove()
})

async function alcove(...args: readonly string[]): Promise<Outcome> {
  return await runAlcoveHere(args, { cwd: folder.path, env: { HF_ENDPOINT: hub.url } })
}

describe('alcove model download', () => {
  it('brings a model by its known name, and a context can use it', async () => {
    const { stdout, stderr, exitCode } = await alcove('model', 'download', 'multilingual-e5-small')
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^Model multilingual-e5-small added, [\d.]+ MB\.$/),
      `Downloaded from Xenova/multilingual-e5-small at commit ${commit}.`,
      'Its licence: MIT.',
      '48 dimensions, windows of 512 tokens, mean pooling, query prefix "query: ", passage prefix "passage: "; its tokenizer is word-piece.',
      expect.stringContaining('"alcove context create --model multilingual-e5-small"'),
      '',
    ])
    expect((await alcove('model', 'download', 'multilingual-e5-small')).stdout).toMatch(/^Model .* is there already/)
    await alcove('init', '--company', 'Acme', '--owner-email', 'owner@example.com')
    expect(await alcove('context', 'create', 'Town', '--model', 'multilingual-e5-small')).toMatchObject({ exitCode: 0 })
    expect(await alcove('doctor')).toMatchObject({ exitCode: 0 })
  })

  it('says that the model in the package is there', async () => {
    const { stdout, exitCode } = await alcove('model', 'download', 'all-MiniLM-L6-v2')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^Model all-MiniLM-L6-v2 is there already\.\nIt comes with the package: nothing was/)
  })

  it('takes a repository, a revision, a mirror and the facts of a model', async () => {
    const { stdout } = await alcove(
      'model',
      'download',
      'maker/small',
      ...[
        '--revision',
        'main',
        '--endpoint',
        hub.url,
        '--id',
        'mine',
        '--query-prefix',
        'ask: ',
        '--passage-prefix',
        '',
      ],
      ...['--window-tokens', '200', '--pooling', 'cls', '--json'],
    )
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'mine',
      isNew: true,
      queryPrefix: 'ask: ',
      passagePrefix: '',
      windowTokens: 200,
      pooling: 'cls',
      source: { repository: 'maker/small' },
    })
  })

  it('lists the known models with their licences', async () => {
    const { stdout } = await alcove('model', 'download')
    expect(stdout).toMatch(/name .*languages.*licence/)
    expect(stdout).toMatch(/multilingual-e5-small .*MIT .*true/)
    expect(stdout).toMatch(/jina-embeddings-v3 .*CC-BY-NC-4\.0.*false/)
    const models = JSON.parse((await alcove('model', 'download', '--json')).stdout) as object[]
    expect(models[0]).toMatchObject({ name: 'multilingual-e5-small', queryPrefix: 'query: ', runs: true })
  })

  it('says in one line what is wrong', async () => {
    expect(await alcove('model', 'download', 'multilingual-e5-tiny')).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^alcove: name: "multilingual-e5-tiny" is neither.*ERR_INVALID_INPUT\)\n$/,
      ) as string,
    })
    expect(await alcove('model', 'download', 'multilingual-e5-small', '--query-prefix', 'ask: ')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^alcove: --id: multilingual-e5-small is there with other prefixes/) as string,
    })
  })
})
