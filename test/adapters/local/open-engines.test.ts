import { execFile } from 'node:child_process'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHttpHandler } from '../../../adapters/http-server/index.js'
import { openLocalEngine } from '../../../adapters/local/index.js'
import { MemoryHttpTransport } from '../../../adapters/memory/index.js'
import { VERSION } from '../../../adapters/node-kit/index.js'
import { AlcoveError, NotFoundError, TokenRequestError } from '../../../src/index.js'
import { NEW_CONTEXT } from '../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../temporary-folder.js'

const ROOT = join(import.meta.dirname, '../../..')
const COPY = pathToFileURL(join(ROOT, 'dist/adapters/local/index.js')).href

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let dataDir: string

beforeEach(async () => {
  folder = await temporaryFolder()
  dataDir = join(folder.path, 'data')
})

afterEach(async () => {
  await folder.remove()
})

/** The same code, loaded once more, as a bundle or a development server does. */
async function loadCopy(): Promise<{ openLocalEngine: typeof openLocalEngine }> {
  return (await import(/* @vite-ignore */ COPY)) as { openLocalEngine: typeof openLocalEngine }
}

/** Options as a module makes them each time that it is evaluated. */
function evaluated(heard: string[] = []): Parameters<typeof openLocalEngine>[0] {
  return { dataDir, roles: ['ingest'], telemetry: { record: ({ name }) => heard.push(name) } }
}

describe('a folder that is opened again in the same process', () => {
  it('gives the same engine, also for openings at once, until the last one closes it', async () => {
    const [one, other] = await Promise.all([openLocalEngine(evaluated()), openLocalEngine(evaluated())])
    const heard: string[] = []
    one.on('document.completed', ({ fileName }) => heard.push(fileName))
    const session = other.as(other.owner)
    const ended = one.as(one.owner)
    const { id } = await session.contexts.create(NEW_CONTEXT)
    const content = 'Parental leave takes eighteen weeks.'
    const uuid = await session.documents.upload(id, { fileName: 'leave.txt', content })
    await session.documents.whenProcessed(uuid)
    expect(heard).toEqual([uuid])

    await one.close()
    await one.close()
    expect(() => one.as(one.owner)).toThrow(expect.objectContaining({ code: 'ERR_CLOSED' }) as Error)
    const refused = [
      async () => await ended.contexts.list(),
      async () => await ended.search(id, 'How long is parental leave?'),
      async () => await ended.audit.list(),
      async () => await one.administration.users.oneTimePassword.disable(one.owner.userId),
      async () => await one.administration.companies.list(),
      async () => await one.authentication.publicKeys(),
      async () => await one.events.catalog(),
      async () => await one.whenCleared(),
    ]
    for (const call of refused) await expect(call()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    expect(await one.health()).toMatchObject({ status: 'unavailable', ports: { storage: 'ERR_CLOSED' } })
    expect((await other.health()).status).toBe('ok')
    expect(structuredClone(ended.principal)).toEqual(session.principal)
    const second = await session.documents.upload(id, { fileName: 'again.txt', content: 'Notice takes two weeks.' })
    await session.documents.whenProcessed(second)
    // A closed part no longer hears its events.
    expect(heard).toEqual([uuid])

    const closing = other.close()
    // An opening during the end waits for it.
    const next = await openLocalEngine({ dataDir, roles: [] })
    await closing
    await expect(session.contexts.list()).rejects.toMatchObject({ code: 'ERR_CLOSED' })
    expect(await next.as(next.owner).contexts.list()).toHaveLength(1)
    await next.close()
  })

  it('is found by another path of it', async () => {
    const one = await openLocalEngine({ dataDir })
    const link = join(folder.path, 'link')
    await symlink(dataDir, link)
    const other = await openLocalEngine({ dataDir: link })
    await one.close()
    expect((await other.health()).status).toBe('ok')
    await other.close()
  })

  it('with other options is refused by a sentence that names them and shows what to do', async () => {
    const engine = await openLocalEngine({ ...evaluated(), httpTransport: new MemoryHttpTransport() })
    const others = {
      roles: { roles: [] },
      telemetry: { telemetry: { record: () => undefined } },
      // Two instances of a class are two things, also with equal members.
      httpTransport: { httpTransport: new MemoryHttpTransport() },
      secretKey: { secretKey: new Uint8Array(32).fill(1) },
    }
    for (const [name, changes] of Object.entries(others)) {
      const refusal = openLocalEngine({ ...evaluated(), ...changes })
      await expect(refusal).rejects.toMatchObject({ code: 'ERR_DATA_DIR_LOCKED' })
      await expect(refusal).rejects.toThrow(
        new RegExp(
          `already opened .* with other options \\(.*${name}.*\\): .*globalThis\\.alcove \\?\\?= openLocalEngine`,
        ),
      )
    }
    await engine.close()
  })

  it('is opened by itself where the first opening fails', async () => {
    const failing = { dataDir, initial: { companyName: '' } }
    const results = await Promise.allSettled([openLocalEngine(failing), openLocalEngine(failing)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await (await openLocalEngine({ dataDir })).close()
  })
})

describe('two copies of the package in a process', () => {
  it('share the engine of a folder, and know the errors of each other', async () => {
    const copy = await loadCopy()
    const one = await openLocalEngine(evaluated())
    const other = await copy.openLocalEngine(evaluated())
    await one.close()
    await other.close()
    const engine = await copy.openLocalEngine(evaluated())
    const here = await openLocalEngine(evaluated())
    const error: unknown = await here
      .as(here.owner)
      .contexts.get(77)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(AlcoveError)
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).not.toBeInstanceOf(TokenRequestError)
    // The server of one copy serves the engine of another.
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'no',
      client_secret: 'no',
      target_app: 'assistant',
    })
    const answer = await createHttpHandler(engine)(new Request('http://host/connect/token', { method: 'POST', body }))
    expect([answer.status, await answer.json()]).toEqual([401, expect.objectContaining({ error: 'invalid_client' })])
    await Promise.all([engine.close(), here.close()])
  })

  it('of different versions do not share it', async () => {
    const engine = await openLocalEngine({ dataDir })
    const opened = Reflect.get(globalThis, Symbol.for('alcove.open-engines')) as Map<string, { version: string }[]>
    for (const entry of [...opened.values()].flat()) entry.version = '0.0.9'
    await expect(openLocalEngine({ dataDir })).rejects.toThrow(/by version 0\.0\.9 of alcove, and this is 0\.1\.0/)
    await engine.close()
    await (await openLocalEngine({ dataDir })).close()
  })

  it('have the version of the package', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    expect(VERSION).toBe(version)
  })
})

describe('a program that does not close its engine', () => {
  const program = [
    `import { openLocalEngine } from '${COPY}'`,
    'const engine = await openLocalEngine({ dataDir: process.argv[2] })',
    'const session = engine.as(engine.owner)',
    "const { id } = await session.contexts.create({ name: 'A', description: '', caption: '', toolsJson: '[]' })",
    "await session.documents.upload(id, { fileName: 'leave.txt', content: 'Leave takes eighteen weeks.' })",
  ]

  it('ends when its work is done, and leaves the folder closed', async () => {
    const path = join(folder.path, 'program.mjs')
    await writeFile(path, program.join('\n'))
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [path, dataDir], { timeout: 30_000 })
    expect([stdout, stderr]).toEqual(['', ''])
    const engine = await openLocalEngine({ dataDir })
    // The document of the upload that nobody waited for.
    const [document] = await engine.as(engine.owner).documents.list(1)
    expect(document?.completed).not.toBeNull()
    await engine.close()
  })
  it('can open the folder again at its end', async () => {
    const path = join(folder.path, 'program.mjs')
    const lines = [
      ...program.slice(0, 2),
      "process.once('beforeExit', async () => {",
      '  const again = await openLocalEngine({ dataDir: process.argv[2] })',
      '  console.log((await again.as(again.owner).contexts.list()).length, (await again.health()).status)',
      '})',
    ]
    await writeFile(path, lines.join('\n'))
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [path, dataDir], { timeout: 30_000 })
    expect([stdout, stderr]).toEqual(['0 ok\n', ''])
  })
})
