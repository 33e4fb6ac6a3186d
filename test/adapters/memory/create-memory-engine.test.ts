import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createMemoryEngine, MemoryClock, MemoryMailer } from '../../../adapters/memory/testing.js'
import { NEW_CONTEXT, uploadText } from '../../src/engine/memory-engine.js'
import { temporaryFolder } from '../../temporary-folder.js'

const BUILT = pathToFileURL(join(import.meta.dirname, '../../../dist/adapters/memory/testing.js')).href

describe('an engine in memory', () => {
  it('finds what a context has, and says what it would send', async () => {
    const engine = await createMemoryEngine({ clock: new MemoryClock() })
    const session = engine.as(engine.owner)
    const { id } = await session.contexts.create(NEW_CONTEXT)
    await uploadText(session, id, 'leave.md', '# Leave\n\nNew parents stay at home for eighteen weeks.')
    await uploadText(session, id, 'notice.txt', 'The notice period is three months.')
    const [best] = await session.search(id, 'How long do new parents stay at home?')
    expect(best?.source).toMatchObject({ displayName: 'leave.md', headings: ['Leave'] })

    await session.users.add({ email: 'new@example.com' })
    await expect.poll(() => engine.mails.map(({ to }) => to.address)).toEqual(['new@example.com'])
    const { companyId } = engine.owner
    await engine.administration.destinations.create({ url: 'https://partner.example/hook', eventTypes: null })
    await engine.events.record({ type: 'agent.created', companyId, data: { agentId: 7, name: 'Bot' } })
    await expect.poll(() => engine.requests.map(({ url }) => url)).toEqual(['https://partner.example/hook'])
    await engine.close()
  })

  it('takes other parts and settings', async () => {
    const mailer = new MemoryMailer()
    const engine = await createMemoryEngine({ mailer, limits: { contextsPerCompany: 1 } })
    const session = engine.as(engine.owner)
    await session.contexts.create(NEW_CONTEXT)
    await expect(session.contexts.create(NEW_CONTEXT)).rejects.toMatchObject({ code: 'ERR_LIMIT_REACHED' })
    await session.users.add({ email: 'new@example.com' })
    await expect.poll(() => mailer.sent.length).toBe(1)
    expect(engine.mails).toEqual([])
    await engine.close()
  })

  it('refuses an option that it does not know', async () => {
    const options: object = { limit: { contextsPerCompany: 1 } }
    await expect(createMemoryEngine(options)).rejects.toMatchObject({
      code: 'ERR_INVALID_INPUT',
      message: expect.stringMatching(/^limit: unknown option "limit"; expected one of storage, .*, limits, /) as string,
    })
  })

  it('loads no native part, and does not keep a program alive that does not close it', async () => {
    const folder = await temporaryFolder()
    const path = join(folder.path, 'program.mjs')
    const program = [
      "process.dlopen = () => { throw new Error('a native part') }",
      `const { createMemoryEngine } = await import('${BUILT}')`,
      'const engine = await createMemoryEngine()',
      'const session = engine.as(engine.owner)',
      "const { id } = await session.contexts.create({ name: 'A', description: '', caption: '', toolsJson: '[]' })",
      "const uuid = await session.documents.upload(id, { fileName: 'leave.txt', content: 'Leave takes eighteen weeks.' })",
      'await session.documents.whenProcessed(uuid)',
      "console.log((await session.search(id, 'How long is leave?')).length)",
    ]
    await writeFile(path, program.join('\n'))
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [path], { timeout: 30_000 })
    expect([stdout, stderr]).toEqual(['1\n', ''])
    await folder.remove()
  })
})
