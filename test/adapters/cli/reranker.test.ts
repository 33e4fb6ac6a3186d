import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ContextSearchResult } from '../../../src/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { failing, RerankServer } from '../http-reranker/rerank-server.js'
import type { Outcome } from './run-alcove.js'
import { runAlcoveHere } from './run-alcove-here.js'

const KEY = 'marmalade-key'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let server: RerankServer
beforeAll(async () => {
  folder = await temporaryFolder()
  server = await RerankServer.start('llama.cpp')
  await alcove('init', '--company', 'Acme', '--owner-email', 'owner@example.com')
  await alcove('context', 'create', 'Office')
  for (const [name, text] of [
    ['leave.txt', 'Leave: leave, leave, and more leave.'],
    ['weeks.txt', 'Parents have many weeks.'],
  ] as const) {
    await writeFile(join(folder.path, name), text)
  }
  const { exitCode } = await alcove('ingest', '--context', 'Office', 'leave.txt', 'weeks.txt')
  expect(exitCode).toBe(0)
})
afterAll(async () => {
  await server.stop()
  await folder.remove()
})

async function alcove(...args: readonly string[]): Promise<Outcome> {
  return await runAlcoveHere(args, { cwd: folder.path, env: { ALCOVE_RERANKER_KEY: KEY } })
}

const SEARCH = ['search', '--context', 'Office', 'How many weeks of leave do parents have?']

async function namesOf(...options: readonly string[]): Promise<string[]> {
  const { stdout } = await alcove(...SEARCH, '--json', '--include', 'source', ...options)
  return (JSON.parse(stdout) as ContextSearchResult[]).map(({ source }) => source.originalName)
}

it('orders the hits by the server of the options, which gets the key', async () => {
  const options = ['--reranker-url', server.baseUrl, '--reranker-model', 'bge']
  expect(await namesOf(...options)).toEqual(['weeks.txt', 'leave.txt'])
  expect(server.requests[0]).toMatchObject({ headers: { authorization: `Bearer ${KEY}` }, body: { model: 'bge' } })
  const { stdout } = await alcove(...SEARCH, '--explain', ...options)
  expect(stdout).toContain('\nreranker: bge, 2 chunks\n')
  expect(stdout).toMatch(/1\. score .*weeks\.txt;.*; before the reranker: rank \d/)
})

it('says why the order is that of before', async () => {
  server.always = failing(500, 'CUDA error')
  const { stdout, exitCode } = await alcove(...SEARCH, '--explain', '--reranker-url', server.baseUrl)
  expect(exitCode).toBe(0)
  expect(stdout).toContain('reranker: The reranker remote failed (ERR_MODEL_UNAVAILABLE): the order is that of before.')
})
