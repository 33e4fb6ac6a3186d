import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { IS_FULL_FORM } from '../full-form.js'
import { npmInstall } from '../npm-install.js'
import { temporaryFolder } from '../temporary-folder.js'
import { blocks, EXAMPLES, pageOf, ROOT, run } from './host-folder.js'

const PACKAGES = ['next@16', 'react@19', 'react-dom@19', 'typescript@6', '@types/react@19', '@types/node@20']
const LAYOUT = 'export default ({ children }) => <html lang="en"><body>{children}</body></html>'
const WAIT = { timeout: 120_000, interval: 200 }

interface Application {
  readonly url: string
  /** Ends it as a process manager does. @returns its exit code, or null if the signal ended it */
  stop(): Promise<number | null>
}

describe.runIf(IS_FULL_FORM)('an application of Next that is built as its page says', { timeout: 600_000 }, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let isInstalled = false
  let key: { readonly clientId: string; readonly clientSecret: string }
  const running = new Set<ChildProcess>()

  beforeAll(async () => {
    folder = await temporaryFolder()
    await writeFile(join(folder.path, 'package.json'), '{ "private": true }')
    isInstalled = await npmInstall(folder.path, PACKAGES)
    if (!isInstalled) return
    await installAlcove(folder.path)
    const next = await pageOf('how-to/next.md')
    await writeFile(join(folder.path, 'next.config.mjs'), blocks('js', next)[0] ?? '')
    const api = blocks('ts', await pageOf('how-to/rest.md')).find((block) => block.includes('serve as DELETE')) ?? ''
    await route('alcove/[[...path]]', api)
    await route('search', blocks('ts', next)[0] ?? '')
    await writeFile(join(folder.path, 'app/layout.jsx'), LAYOUT)
  }, 600_000)

  afterAll(async () => {
    for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL')
    await folder.remove()
  })

  async function route(path: string, code: string): Promise<void> {
    const file = join(folder.path, 'app', path, 'route.ts')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, code)
  }

  async function alcove(...args: string[]): Promise<string> {
    const bin = join(folder.path, 'node_modules/alcove/dist/adapters/cli/bin.js')
    return (await run(process.execPath, [bin, ...args], { cwd: folder.path })).stdout
  }

  async function next(...args: string[]): Promise<Application> {
    const child = spawn(process.execPath, [join(folder.path, 'node_modules/next/dist/bin/next'), ...args], {
      cwd: folder.path,
      env: environment(),
      detached: true, // a group of its own: Next starts processes too
    })
    running.add(child)
    const ended = once(child, 'exit')
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()))
    await vi.waitFor(() => expect(output).toContain('Ready in'), WAIT)
    const url = /http:\/\/localhost:\d+/.exec(output)?.[0] ?? ''
    return {
      url,
      stop: async () => {
        child.kill('SIGTERM')
        const [code] = (await ended) as [number | null]
        running.delete(child)
        return code
      },
    }
  }

  async function searched(url: string): Promise<unknown> {
    return await (await fetch(`${url}/search?context=1&q=${encodeURIComponent('How long is parental leave?')}`)).json()
  }

  async function namesOf(url: string): Promise<unknown> {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: key.clientId,
      client_secret: key.clientSecret,
      target_app: 'assistant',
    })
    const answer = await fetch(`${url}/alcove/connect/token`, { method: 'POST', body })
    const { access_token: token } = (await answer.json()) as { readonly access_token: string }
    const contexts = await fetch(`${url}/alcove/context`, { headers: { authorization: `Bearer ${token}` } })
    return ((await contexts.json()) as { readonly name: string }[]).map(({ name }) => name)
  }

  const found = expect.arrayContaining([
    expect.objectContaining({ content: expect.stringContaining('eighteen weeks') as string }),
  ]) as unknown

  it('is built without an engine, answers in production, and again after a restart', async ({ skip }) => {
    if (!isInstalled) skip('left out: the npm registry cannot be reached')
    const bin = join(folder.path, 'node_modules/next/dist/bin/next')
    await run(process.execPath, [bin, 'build'], { cwd: folder.path, env: environment() })
    expect(existsSync(join(folder.path, 'alcove-data'))).toBe(false)

    key = JSON.parse(await alcove('init', '--json')) as typeof key
    await alcove('context', 'create', 'Handbook')
    await alcove('ingest', '--context', 'Handbook', join(EXAMPLES, 'leave-policy.pdf'))
    for (const _ of ['start', 'restart']) {
      const application = await next('start', '--port', '0')
      expect(await searched(application.url)).toEqual(found)
      expect((await fetch(`${application.url}/alcove/health`)).status).toBe(200)
      expect(await namesOf(application.url)).toEqual(['Handbook'])
      await application.stop()
    }
  })

  it('is developed: a route that changes answers by its new code, on the engine that is open', async ({ skip }) => {
    if (!isInstalled) skip('left out: the npm registry cannot be reached')
    const application = await next('dev', '--port', '0')
    expect(await namesOf(application.url)).toEqual(['Handbook'])
    expect(await searched(application.url)).toEqual(found)
    for (const path of ['search', 'alcove/[[...path]]']) {
      const file = join(folder.path, 'app', path, 'route.ts')
      const code = await readFile(file, 'utf8')
      await writeFile(
        file,
        `${code.replace('=> ({ content, source })', '=> ({ content, isNew: true })')}\n// changed\n`,
      )
    }
    const changed = expect.arrayContaining([expect.objectContaining({ isNew: true })]) as unknown
    await vi.waitFor(async () => expect(await searched(application.url)).toEqual(changed), WAIT)
    expect(await namesOf(application.url)).toEqual(['Handbook'])
    await application.stop()
  })
})

function environment(): NodeJS.ProcessEnv {
  // The variables of the test runner would put Next into another mode.
  const { NODE_ENV: _mode, NODE_OPTIONS: _options, ...rest } = process.env
  return { ...rest, NEXT_TELEMETRY_DISABLED: '1' }
}

/** Puts the built package beside Next, with links to the dependencies that it names. */
async function installAlcove(folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  for (const name of ['dist', 'models', 'package.json']) {
    await cp(join(ROOT, name), join(modules, 'alcove', name), { recursive: true })
  }
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  for (const name of Object.keys(dependencies)) {
    const target = join(modules, name)
    if (existsSync(target)) continue
    await mkdir(dirname(target), { recursive: true })
    await symlink(join(ROOT, 'node_modules', name), target, 'dir')
  }
}
