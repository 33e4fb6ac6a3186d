import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { IS_FULL_FORM } from '../full-form.js'
import { blocks, type HostFolder, hostFolder, pageOf, ROOT, run, TSX } from './host-folder.js'

/** Paths of all pages below `docs`. */
async function pagePaths(...folders: readonly string[]): Promise<string[]> {
  const found = folders.map(async (name) => {
    const entries = await readdir(join(ROOT, 'docs', name), { recursive: true })
    return entries.filter((entry) => /^[^.].*\.md$/.test(entry)).map((entry) => join(name, entry))
  })
  return (await Promise.all(found)).flat()
}

/** Runs node:test in a process of its own, independent of the present test runner. */
function withoutTestContext(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _context, NODE_OPTIONS: _options, ...env } = process.env
  return env
}

let folder: HostFolder

beforeEach(async () => {
  folder = await hostFolder()
})

afterEach(async () => {
  await folder.remove()
})

describe('the documentation pages', () => {
  /** Runs the first program of a page that contains a text, unchanged. */
  const runBlock = async (path: string, part: string): Promise<string> => {
    const page = await pageOf(path)
    const [js, ts] = [blocks('js', page), blocks('ts', page)].map((found) => found.find((code) => code.includes(part)))
    await writeFile(join(folder.path, 'block.mts'), js ?? ts ?? '')
    return (await run(process.execPath, [TSX, 'block.mts'], { cwd: folder.path })).stdout
  }

  /** Runs commands in a shell that stops at the first failure. */
  const shell = async (commands: string): Promise<string> =>
    (await run('sh', ['-e', '-c', commands], { cwd: folder.path, env: folder.env })).stdout

  it('first-assistant have programs that run one after the other, and a second time', async () => {
    const page = await pageOf('tutorials/first-assistant.md')
    const [first, secondUser, event] = blocks('js', page)
    const [ofFirst, ofSearch = '', ofSecondUser, ofEvent] = blocks('text', page)
    const programs = [
      { name: 'first.mjs', program: first, output: ofFirst },
      { name: 'second-user.mjs', program: secondUser, output: ofSecondUser },
      { name: 'event.mjs', program: event, output: ofEvent },
    ]
    for (const { name, program = '' } of programs) await writeFile(join(folder.path, name), program)
    for (let time = 0; time < 2; time += 1) {
      for (const { name, output } of programs) {
        expect((await run(process.execPath, [name], { cwd: folder.path })).stdout).toBe(output)
      }
    }
    const alcove = join(ROOT, 'dist/adapters/cli/bin.js')
    const search = ['search', '--context', 'Handbook', '--top', '1', 'parental leave']
    const { stdout } = await run(process.execPath, [alcove, ...search], { cwd: folder.path })
    const rounded = (text: string): string => text.trim().replaceAll(/(0\.\d)\d\d/g, '$1')
    expect(rounded(stdout)).toBe(rounded(ofSearch))
  })

  it('own-login have programs that map users and check passwords', async () => {
    expect(await runBlock('how-to/own-login.md', 'nodeListener(')).toBe('201\n403\n401\n')
    expect(await runBlock('how-to/own-login.md', 'verifyPassword(email')).toBe(
      'Welcome, Bo. You see 0 contexts.\nThe address, the password or the code is wrong.\n',
    )
  })

  it('own-parts have programs with other parts, and with the chunks alone', async () => {
    expect(await runBlock('how-to/own-parts.md', 'starterPromptWriter: {')).toBe('What can I ask Notes?\n')
    await writeFile(join(folder.path, 'handbook.txt'), 'New parents stay at home for eighteen weeks.')
    const chunks = await runBlock('how-to/own-parts.md', 'chunkText(')
    expect(chunks).toMatch(/^\d+ New parents stay at home for eighteen weeks\.\n$/)
  })

  it('metadata have programs that run one after the other, and a filter that finds the document', async () => {
    for (const part of ['documents.upload', 'documents.update', 'const filter']) {
      const stdout = await runBlock('how-to/metadata.md', part)
      expect(stdout).toBe(part === 'const filter' ? 'The rent rises by two percent. 1\n' : '')
    }
  })

  it('privacy have a program that deletes the documents whose time is over', async () => {
    const ingest = (date: string) => `alcove ingest --context Notes --metadata '{"keepUntil":"${date}"}' ${date}.txt`
    for (const date of ['2020-01-31', '2999-01-31']) await writeFile(join(folder.path, `${date}.txt`), `Since ${date}.`)
    await shell(`alcove init && alcove context create Notes && ${ingest('2020-01-31')} && ${ingest('2999-01-31')}`)
    expect(await runBlock('how-to/privacy.md', 'keepUntil')).toBe('deleted 2020-01-31.txt\ndone\n')
  })

  it('cookbook have commands and programs for each use', async () => {
    const [support = '', manuals = ''] = blocks('sh', await pageOf('how-to/cookbook.md'))
    await mkdir(join(folder.path, 'articles'))
    await cp(join(folder.path, 'handbook.pdf'), join(folder.path, 'articles/leave.pdf'))
    expect(await shell(`alcove init\n${support}`)).toContain('eighteen weeks')
    expect(await runBlock('how-to/cookbook.md', 'session.prepare')).toMatch(
      /^2 messages for the model\n\[1\] leave\.pdf\n$/,
    )
    expect(await runBlock('how-to/cookbook.md', 'ensureUser')).toMatch(
      /^canteen\.txt: The canteen is open from eleven to two\.\n/,
    )
    expect(await shell(manuals)).toContain('handbook.pdf')
    expect(await runBlock('how-to/cookbook.md', 'source.pages')).toMatch(/^handbook\.pdf#page=1 /)
  })

  it('cookbook have a program that keeps a context like a repository', async () => {
    const write = async (path: string, text: string): Promise<void> => await writeFile(join(folder.path, path), text)
    await mkdir(join(folder.path, 'src'))
    await write('src/retry.js', 'export const parseRetryAfter = (text) => Number(text)\n')
    await write('src/gone.js', 'export const parseRetryAfterDate = (text) => new Date(text)\n')
    await shell('git init -q && git add src')
    const first = await runBlock('how-to/cookbook.md', 'ls-files')
    expect(first).toMatch(/^src\/retry\.js: .*parseRetryAfter/)
    expect(first).toContain('src/gone.js')
    await write('src/retry.js', 'export const parseRetryAfter = (header) => Number(header) * 1000\n')
    await shell('git rm -qf src/gone.js')
    const second = await runBlock('how-to/cookbook.md', 'ls-files')
    expect(second).toMatch(/^src\/retry\.js: .*parseRetryAfter/)
    expect(second).not.toContain('gone.js')
  })

  it('backup-and-doctor have a program that backs up, restores and checks', async () => {
    expect(await runBlock('how-to/backup-and-doctor.md', 'backupDataDir')).toBe('true 0\n0 0\n0 true\n')
  })

  it('rest have servers of Node, Express, Fastify and Hono that answer', async () => {
    const servers = blocks('js', await pageOf('how-to/rest.md'))
    expect(servers).toHaveLength(4)
    const check = [
      "const listening = typeof app === 'undefined' || app.server === undefined ? server : app.server",
      'while (!listening.listening) await new Promise((resolve) => setTimeout(resolve, 5))',
      'const base = `http://127.0.0.1:${listening.address().port}/alcove`',
      "const statuses = await Promise.all(['/health', '/context'].map(async (path) => (await fetch(base + path)).status))",
      "console.log(statuses.join(' '))",
      'listening.close()',
      'await engine.close()',
    ]
    for (const server of servers) {
      const program = server.replace(/8787/, '0').replace(/^(const (app|server))/gm, 'globalThis.$2')
      await writeFile(join(folder.path, 'server.mjs'), [program, ...check].join('\n'))
      const { stdout } = await run(process.execPath, ['server.mjs'], { cwd: folder.path })
      expect(stdout).toBe('200 401\n')
    }
  })

  it('testing and writing-an-adapter have tests that pass', async () => {
    const [engineInMemory = ''] = blocks('js', await pageOf('how-to/testing.md'))
    const [hasher = '', suite = ''] = blocks('js', await pageOf('how-to/writing-an-adapter.md'))
    await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder.path, 'scrypt-hasher.js'), hasher)
    await writeFile(join(folder.path, 'engine.test.js'), engineInMemory)
    await writeFile(join(folder.path, 'hasher.test.js'), suite)
    const args = ['--test', 'engine.test.js', 'hasher.test.js']
    const { stdout } = await run(process.execPath, args, { cwd: folder.path, env: withoutTestContext() })
    expect(stdout).toMatch(/^# pass [4-9]\d*$/m)
    expect(stdout).toMatch(/^# fail 0$/m)
  })

  it('receive-webhooks have a receiver that runs unchanged', async () => {
    const event = { id: 'evt_1', version: 'v1', type: 'run.completed', event_category: 'run' }
    const data = { jobKey: '3f2b8c1e-7d4a-4e6b-9a10-5c2d8e7f1a34', success: true }
    const body = JSON.stringify({ ...event, timestamp: '2026-01-02T03:04:05.678Z', data })
    const check = [
      "import { createHmac } from 'node:crypto'",
      "const sign = (body) => `sha256=${createHmac('sha256', 'whsec_readme').update(body).digest('hex')}`",
      'const send = async (body, signature = sign(body)) => {',
      "  const init = { method: 'POST', headers: { 'x-service-signature': signature }, body }",
      "  console.log((await receive(new Request('https://x.example', init))).status)",
      '}',
      `const body = ${JSON.stringify(body)}`,
      "for (const one of [() => send(body), () => send(body), () => send(body, sign('')), () => send('{}')]) await one()",
    ]
    const receiver =
      blocks('js', await pageOf('how-to/receive-webhooks.md')).find((block) => block.includes('verifyWebhook')) ?? ''
    await writeFile(join(folder.path, 'receiver.mjs'), [receiver, ...check].join('\n'))
    const env = { ...process.env, WEBHOOK_SECRET: 'whsec_readme' }
    const { stdout } = await run(process.execPath, ['receiver.mjs'], { cwd: folder.path, env })
    expect(stdout).toBe(`${data.jobKey} true\n204\n204\n401\n400\n`)
  })

  it('send-webhooks have a program whose event is sent if its transaction is committed', async () => {
    const events =
      blocks('js', await pageOf('how-to/send-webhooks.md')).find((block) => block.includes('engine.events.record')) ??
      ''
    // Tests have no network, so the test collects the requests.
    const program = events.replace('openLocalEngine({', 'openLocalEngine({ httpTransport, ')
    const before = [
      "import { MemoryHttpTransport } from 'alcove/adapters/memory'",
      'const httpTransport = new MemoryHttpTransport()',
    ]
    const after = [
      'while (httpTransport.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))',
      'const [{ url, body }] = httpTransport.requests',
      'console.log(url, new TextDecoder().decode(body))',
      'await engine.close()',
      'await database.destroy()',
    ]
    await writeFile(join(folder.path, 'events.mjs'), [...before, program, ...after].join('\n'))
    const { stdout } = await run(process.execPath, ['events.mjs'], { cwd: folder.path })
    expect(stdout).toMatch(/^The receiver verifies signatures with whsec_\S{32,}, which is shown this once\.\n/)
    expect(stdout).toMatch(
      /^https:\/\/hooks\.example\.com\/alcove \{"id":"evt_.*"data":\{"agentId":1,"name":"Bot"\}\}$/m,
    )
    expect(await readdir(join(folder.path, 'alcove-data'))).not.toContain('alcove.sqlite')
  })

  // `test/docs/code-blocks.test.ts` compiles the same programs in every run, those in JavaScript with fewer rules.
  it.runIf(IS_FULL_FORM)('have programs that type-check as TypeScript, like those of the README', async () => {
    const paths = await pagePaths('tutorials', 'how-to')
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    const pages = [readme, ...(await Promise.all(paths.map(pageOf)))]
    const programs = pages
      .flatMap((page) => [...blocks('js', page), ...blocks('ts', page)])
      .filter((block) => /from 'alcove(\/(local|adapters\/[\w-]+))?'/.test(block))
    expect(programs.length).toBeGreaterThanOrEqual(20)
    const files = await Promise.all(
      programs.map(async (program, index) => {
        await writeFile(join(folder.path, `program-${index}.mts`), program)
        return `program-${index}.mts`
      }),
    )
    const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: ['node'] }
    await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    const { stdout } = await run(process.execPath, [compiler, '-p', folder.path], { cwd: folder.path })
    expect(stdout).toBe('')
  })
})
