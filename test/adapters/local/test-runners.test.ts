import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { IS_FULL_FORM } from '../../full-form.js'
import { temporaryFolder } from '../../temporary-folder.js'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../../..')

/** A test of a host: contents of each kind, an error of the engine, and an abort. */
const testOfHost = (runner: string): string => `
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { AlcoveError } from 'alcove'
import { openLocalEngine } from 'alcove/local'
import { expect, test } from '${runner}'

test('a host', async () => {
  const engine = await openLocalEngine({ dataDir: join(process.cwd(), 'data', String(process.pid) + Math.random()) })
  const session = engine.as(engine.owner)
  const context = await session.contexts.create({ name: 'N', description: 'D', caption: 'C', toolsJson: '[]' })
  const bytes = new TextEncoder().encode('Bytes have eight bits.')
  const contents = ['A string of words.', bytes, new Blob(['A blob of data.']), Readable.from([Buffer.from('A stream.')])]
  const uuids = []
  for (const [index, content] of contents.entries()) {
    uuids.push(await session.documents.upload(context.id, { fileName: index + '.txt', content }))
  }
  for (const uuid of uuids) await session.documents.whenProcessed(uuid)
  expect(await session.search(context.id, 'How many bits?', { topN: 4 })).toHaveLength(4)
  const error = await session.contexts.get(99).catch((reason) => reason)
  expect(error).toBeInstanceOf(AlcoveError)
  expect(error.code).toBe('ERR_CONTEXT_NOT_FOUND')
  const signal = AbortSignal.abort(new Error('stop'))
  await expect(session.search(context.id, 'bits', { signal })).rejects.toThrow('stop')
  await engine.close()
}, 60_000)
`

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
  await writeFile(join(folder.path, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await mkdir(join(folder.path, 'node_modules'))
  await link('alcove', ROOT)
})

afterEach(async () => {
  await folder.remove()
})

async function link(name: string, target: string): Promise<void> {
  await symlink(target, join(folder.path, 'node_modules', name), 'dir')
}

/** Runs the test of a host in files of that number. @returns what the runner prints */
async function runVitest(pool: string, files: number): Promise<string> {
  await link('vitest', join(ROOT, 'node_modules/vitest'))
  for (let file = 0; file < files; file += 1) {
    await writeFile(join(folder.path, `${file}.test.js`), testOfHost('vitest'))
  }
  // The package is linked: an installed one is external by itself.
  const test = { pool, fileParallelism: false, server: { deps: { external: ['dist'] } } }
  const config = `export default ${JSON.stringify({ test }).replace('"dist"', '/dist/')}`
  await writeFile(join(folder.path, 'vitest.config.js'), config)
  const env = { ...process.env, NO_COLOR: '1', VITEST: undefined, NODE_OPTIONS: undefined }
  const program = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const { stdout } = await run(process.execPath, [program, 'run'], { cwd: folder.path, env })
  return stdout
}

describe('a host under a test runner', () => {
  it('works in the realms of vitest --pool=vmForks', async () => {
    expect(await runVitest('vmForks', 1)).toMatch(/Tests +1 passed/)
  })

  it.runIf(IS_FULL_FORM)('works in two files of vitest --pool=threads, one after the other', async () => {
    expect(await runVitest('threads', 2)).toMatch(/Tests +2 passed/)
  })

  it.runIf(IS_FULL_FORM)('works under Jest, in two files of one process', async () => {
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', 'jest@30'], { cwd: folder.path })
    await link('alcove', ROOT).catch(() => undefined)
    for (const file of ['one', 'two'])
      await writeFile(join(folder.path, `${file}.test.js`), testOfHost('@jest/globals'))
    await writeFile(
      join(folder.path, 'jest.config.js'),
      'export default { transform: {}, testMatch: ["**/*.test.js"] }',
    )
    const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules' }
    const jest = join(folder.path, 'node_modules/jest/bin/jest.js')
    const { stderr } = await run(process.execPath, [jest, '--runInBand'], { cwd: folder.path, env })
    expect(stderr).toMatch(/Tests: +2 passed/)
  })
})
