import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { DATABASES, type TestDatabase } from '../../src/outbox/database.js'
import { temporaryFolder } from '../../temporary-folder.js'

interface Ended {
  readonly stdout: string
  readonly stderr: string
  readonly signal: string | null
}

const BUILT = pathToFileURL(join(import.meta.dirname, '../../../dist/adapters/local/index.js')).href

describe.each(DATABASES.filter(({ name }) => name === 'PostgreSQL'))('a program with an engine on $name', (kind) => {
  let database: TestDatabase
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let dataDir: string

  beforeEach(async () => {
    database = await kind.openEmpty()
    folder = await temporaryFolder()
    dataDir = join(folder.path, 'data')
  })

  afterEach(async () => {
    await folder.remove()
    await database.dispose()
  })

  /** @returns the output, and the signal that ended the program, if one did */
  const run = async (options: string, lines: readonly string[], timeout = 60_000) => {
    const path = join(folder.path, 'program.mjs')
    const program = [
      `const { openLocalEngine } = await import('${BUILT}')`,
      'const [, , dataDir, databaseUrl] = process.argv',
      `const engine = await openLocalEngine({ dataDir, databaseUrl${options} })`,
      ...lines,
    ]
    await writeFile(path, program.join('\n'))
    const running = promisify(execFile)(process.execPath, [path, dataDir, database.address], { timeout })
    return await running.then(
      ({ stdout, stderr }) => ({ stdout, stderr, signal: null }),
      (error: unknown) => {
        const { stdout, stderr, signal } = error as Ended
        // A program that ends by itself, with an exit code of an error, has a message.
        return { stdout, stderr: signal === null ? `failed: ${stderr}` : stderr, signal }
      },
    )
  }

  const upload = [
    'const session = engine.as(engine.owner)',
    "const { id } = await session.contexts.create({ name: 'A', description: '', caption: '', toolsJson: '[]' })",
    "const uuid = await session.documents.upload(id, { fileName: 'leave.txt', content: 'Leave takes eighteen weeks.' })",
  ]

  it('ends when its work is done, although nobody closes the engine', async () => {
    expect(await run('', upload)).toEqual({ stdout: '', stderr: '', signal: null })
    const engine = await openLocalEngine({ dataDir, databaseUrl: database.address })
    const [document] = await engine.as(engine.owner).documents.list(1)
    expect(document?.completed).not.toBeNull()
    await engine.close()
  })

  it('waits for every answer, and for the end of the engine', async () => {
    const lines = [
      ...upload,
      'await session.documents.whenProcessed(uuid)',
      "console.log((await session.search(id, 'How long is leave?')).length)",
      'const began = performance.now()',
      'await engine.close()',
      "console.log(performance.now() - began < 4_000 ? 'closed' : 'slowly closed')",
    ]
    expect(await run('', lines)).toEqual({ stdout: '1\nclosed\n', stderr: '', signal: null })
  })

  it('goes on as a worker if the engine has roles', async () => {
    const lines = ["console.log('open')"]
    expect(await run(", roles: ['ingest']", lines, 10_000)).toEqual({ stdout: 'open\n', stderr: '', signal: 'SIGTERM' })
    const closing = ['setTimeout(async () => { await engine.close(); console.log("closed") }, 500).unref()']
    expect(await run(", roles: ['ingest']", closing)).toEqual({ stdout: 'closed\n', stderr: '', signal: null })
  })
})
