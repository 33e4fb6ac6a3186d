import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type S3Server, startS3Server } from '../adapters/s3/s3-server.js'
import { DATABASES, type TestDatabase } from '../src/outbox/database.js'
import { blocks, type HostFolder, hostFolder, pageOf, run, TSX } from './host-folder.js'

const POSTGRES = DATABASES.filter(({ name }) => name === 'PostgreSQL')
/** The URL that the pages give as an example. */
const EXAMPLE_URL = /postgresql:\/\/user:password@host:5432\/database/g
const SEARCH = ['search', '--context', 'Notes', '--top', '1', 'parental leave']

let folder: HostFolder

beforeEach(async () => {
  folder = await hostFolder()
})

afterEach(async () => {
  await folder.remove()
})

/** A block of a page that begins with, or contains, a text. */
async function blockOf(path: string, language: string, part: string): Promise<string> {
  const found = blocks(language, await pageOf(path)).find((block) => block.includes(part))
  if (found === undefined) throw new Error(`${path} has no block with ${part}`)
  return found
}

/** Runs commands in a shell that stops at the first failure. */
async function shell(commands: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  return (await run('sh', ['-e', '-c', commands], { cwd: folder.path, env: { ...folder.env, ...env } })).stdout
}

async function program(code: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  await writeFile(join(folder.path, 'program.mts'), code)
  const options = { cwd: folder.path, env: { ...folder.env, ...env } }
  return (await run(process.execPath, [TSX, 'program.mts'], options)).stdout
}

/** Runs commands of which the last one is a server. @returns the status of its health, after which it has stopped */
async function healthOf(commands: string, env: NodeJS.ProcessEnv = {}): Promise<number> {
  const served = commands.replace(/^alcove serve(.*)$/m, 'exec alcove serve$1 --port 0')
  const child: ChildProcess = spawn('sh', ['-e', '-c', served], { cwd: folder.path, env: { ...folder.env, ...env } })
  const ended = once(child, 'close')
  try {
    let output = ''
    child.stdout?.on('data', (data: Buffer) => (output += data.toString()))
    await vi.waitFor(() => expect(output).toMatch(/http:\/\/[\d.:]+/), { timeout: 20_000 })
    return (await fetch(`${/http:\/\/[\d.:]+/.exec(output)?.[0] ?? ''}/health`)).status
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

describe.each(POSTGRES)('the pages of $name', ({ openEmpty }) => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await openEmpty()
  })

  afterEach(async () => {
    await database.dispose()
  })

  const onDatabase = (code: string): string => code.replaceAll(EXAMPLE_URL, database.address)

  it('postgresql has commands that start a server, and a line that opens an engine on the same database', async () => {
    const start = await blockOf('how-to/postgresql.md', 'sh', 'alcove init')
    const quoted = start.replaceAll(EXAMPLE_URL, `'${database.address}'`)
    expect(quoted).not.toBe(start)
    expect(await healthOf(quoted)).toBe(200)
    const open = await blockOf(
      'how-to/postgresql.md',
      'ts',
      'const engine = await openLocalEngine({ dataDir, databaseUrl',
    )
    const lines = [
      "import { openLocalEngine } from 'alcove/local'",
      "const dataDir = './alcove-data'",
      onDatabase(open),
      'console.log((await engine.administration.apiKeys.list()).length)',
      'await engine.close()',
    ]
    // The key of `alcove init` is in the database.
    expect(await program(lines.join('\n'))).toBe('1\n')
  })

  it.each(['command', 'program'])('migration has a %s that moves a folder, which is searched there', async (kind) => {
    await shell('alcove init && alcove context create Notes && alcove ingest --context Notes handbook.pdf')
    if (kind === 'command') {
      const migrate = await blockOf('how-to/migration.md', 'sh', 'alcove migrate')
      await shell(migrate.replaceAll(EXAMPLE_URL, `'${database.address}'`))
    } else {
      const migrate = onDatabase(await blockOf('how-to/migration.md', 'ts', 'migrateDataDir'))
      const lines = (await program(migrate)).trim().split('\n')
      expect(lines[0]).toMatch(/^\d+ of about \d+$/)
      expect(lines.slice(-20).join('\n')).toMatch(/alcove\.sqlite\.migrated$/)
    }
    const env = { ...folder.env, ALCOVE_DATABASE_URL: database.address }
    const { stdout } = await run('alcove', SEARCH, { cwd: folder.path, env })
    expect(stdout).toMatch(/^1\. 0\.\d{3} {2}handbook\.pdf\n/)
  })
})

describe('the page of upgrades', () => {
  it('has commands that back up, and commands that go back to the backup', async () => {
    await shell('alcove init && alcove context create Notes && alcove ingest --context Notes handbook.pdf')
    const into = (commands: string): string => commands.replaceAll('../', './').replace(/^npm install .*$/m, '')
    await shell(into(await blockOf('how-to/upgrade.md', 'sh', 'alcove backup')))
    await shell('alcove context delete Notes')
    expect(await healthOf(into(await blockOf('how-to/upgrade.md', 'sh', 'alcove restore')))).toBe(200)
    expect(
      await shell(['alcove', ...SEARCH, '--data-dir ./restored'].join(' ').replace('parental leave', 'leave')),
    ).toMatch(/^1\. 0\.\d{3} {2}handbook\.pdf\n/)
  })
})

describe('the page of deployments', () => {
  it.each([
    ['unit for systemd', /^ExecStart=\S*\/(alcove serve.*)$/m],
    ['pod for Kubernetes', /^ +args: \["node_modules\/\.bin\/(alcove", "serve".*)\]$/m],
  ])('has a %s that starts a server', async (_name, command) => {
    const [, found = ''] = command.exec(await pageOf('how-to/deployment.md')) ?? []
    await shell('alcove init --data-dir ./main')
    const env = { ALCOVE_DATA_DIR: './main' }
    expect(await healthOf(found.replaceAll(/[",]+ ?/g, ' ').replace(/ +/g, ' '), env)).toBe(200)
  })
})

describe('the page of files in a bucket', () => {
  let server: S3Server

  beforeAll(async () => {
    server = await startS3Server()
  })

  afterAll(async () => {
    await server.dispose()
  })

  it('has commands and a program that keep files in the bucket', async () => {
    const page = await pageOf('how-to/bucket.md')
    const commands = (await blockOf('how-to/bucket.md', 'sh', 'alcove init'))
      // The package is installed already.
      .replace(/^npm install .*$/m, '')
      .replace('s3://bucket/prefix', `s3://${server.bucket}/prefix`)
    const ingest = 'alcove context create Notes && alcove ingest --context Notes handbook.pdf'
    expect(await shell([commands, ingest].join('\n'), server.environment)).toContain('handbook.pdf: 1 chunk from')
    const open = /`(openLocalEngine\(\{ dataDir, filesUrl: .*? \}\))`/.exec(page)?.[1] ?? ''
    const lines = [
      "import { openLocalEngine } from 'alcove/local'",
      "const dataDir = './alcove-data'",
      `const engine = await ${open.replace('s3://bucket/prefix', `s3://${server.bucket}/prefix`)}`,
      'const session = engine.as(engine.owner)',
      'const [document] = await session.documents.list(1)',
      'let bytes = 0',
      "for await (const piece of await session.documents.open(document?.fileName ?? '')) bytes += piece.length",
      'console.log(document?.originalName, bytes === document?.size)',
      'await engine.close()',
    ]
    expect(await program(lines.join('\n'), server.environment)).toBe('handbook.pdf true\n')
  })
})

describe('the page of the REST API', () => {
  it('has a route handler for Next that answers requests, and keeps one engine in a process', async () => {
    const route = await blockOf('how-to/rest.md', 'ts', 'serve as DELETE')
    // Next is no package of the project: the test calls the module as its router does.
    for (const name of ['route.mts', 'route-again.mts']) await writeFile(join(folder.path, name), route)
    const lines = [
      "import { GET } from './route.mts'",
      "import { GET as GET_AGAIN } from './route-again.mts'",
      "const statuses = [GET, GET_AGAIN].map(async (get) => (await get(new Request('http://host/alcove/health'))).status)",
      "console.log(...(await Promise.all(statuses)), (await GET(new Request('http://host/alcove/context'))).status)",
      'process.exit(0)',
    ]
    expect(await program(lines.join('\n'))).toBe('200 200 401\n')
  })
})
