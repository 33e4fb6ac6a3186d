import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IS_FULL_FORM } from '../../full-form.js'
import { npmInstall } from '../../npm-install.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { runAlcoveHere } from '../cli/run-alcove-here.js'
import { type Served, serveAlcove } from '../cli/serve/serve-alcove.js'

/** The browser that `CHROME_PATH` names, or the one that a distribution of Linux has installed. */
const BROWSER = [process.env['CHROME_PATH'], '/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser']
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path))
const MB = 1_000_000

/** The part of `playwright-core` that this test uses. It is no package of the project. */
interface Page {
  goto(url: string): Promise<unknown>
  evaluate(script: string): Promise<unknown>
}
interface Browser {
  newPage(): Promise<Page>
  close(): Promise<void>
}
interface Playwright {
  readonly chromium: {
    launch(options: { readonly executablePath: string; readonly args: readonly string[] }): Promise<Browser>
  }
}

describe.runIf(IS_FULL_FORM)('the client in a page of Chromium, on another origin than the server', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let pages: Server | undefined
  let served: Served | undefined
  let browser: Browser | undefined
  let page: Page
  let missing: string | undefined

  beforeAll(async () => {
    folder = await temporaryFolder()
    if (BROWSER === undefined) missing = 'there is no Chromium'
    else if (!(await npmInstall(folder.path, ['playwright-core@1']))) missing = 'the npm registry cannot be reached'
    if (BROWSER === undefined || missing !== undefined) return

    const { outputFiles } = await build({
      entryPoints: ['adapters/client/index.ts'],
      bundle: true,
      format: 'iife',
      globalName: 'alcove',
      platform: 'browser',
      target: 'es2022',
      write: false,
    })
    pages = createServer(({ url }, response) => {
      if (url === '/client.js') response.setHeader('content-type', 'text/javascript').end(outputFiles[0]?.text)
      else response.setHeader('content-type', 'text/html').end('<!doctype html><script src="/client.js"></script>')
    })
    await once(pages.listen(0, '127.0.0.1'), 'listening')
    const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`

    const cwd = folder.path
    const key = JSON.parse((await runAlcoveHere(['init', '--json'], { cwd })).stdout) as {
      readonly clientId: string
      readonly clientSecret: string
    }
    served = await serveAlcove(['--cors-origin', origin], { cwd })
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: key.clientId,
      client_secret: key.clientSecret,
      target_app: 'assistant',
    })
    const answer = await fetch(`${served.address}/connect/token`, { method: 'POST', body })
    const { access_token: token } = (await answer.json()) as { readonly access_token: string }

    await writeFile(join(cwd, 'here.js'), '')
    const playwright = createRequire(join(cwd, 'here.js'))('playwright-core') as Playwright
    browser = await playwright.chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] })
    page = await browser.newPage()
    await page.goto(origin)
    const access = `{ token: () => ${JSON.stringify(token)} }`
    await page.evaluate(`{
      const client = alcove.createAlcoveClient({ baseUrl: '${served.address}', access: ${access} })
      const texts = { name: 'Handbook', description: '', caption: '', toolsJson: '[]' }
      globalThis.ready = alcove.dataOf(client.POST('/context', { body: texts })).then(({ id }) => ({ client, id }))
      globalThis.large = (line) => new Blob([line.repeat(Math.ceil(20 * ${MB} / line.length))])
    }`)
  }, 300_000)

  afterAll(async () => {
    await browser?.close()
    await served?.stop('SIGKILL')
    pages?.close()
    pages?.closeAllConnections()
    await folder.remove()
  })

  async function inPage(body: string): Promise<unknown> {
    return await page.evaluate(`(async () => { const { client, id } = await ready; ${body} })()`)
  }

  it('sends a file of 20 MB with its progress', async ({ skip }) => {
    if (missing !== undefined) skip(`left out: ${missing}`)
    const sent = (await inPage(`
      const progress = []
      const file = { fileName: 'large.txt', content: large('Parental leave lasts eighteen weeks.\\n') }
      const uuid = await client.upload(id, file, { onProgress: (one) => progress.push(one) })
      const list = await alcove.dataOf(client.GET('/context/documents/{contextId}', { params: { path: { contextId: id } } }))
      return { uuid, progress, names: list.map(({ displayName }) => displayName) }
    `)) as { readonly uuid: string; readonly progress: readonly Progress[]; readonly names: readonly string[] }
    expect(sent.uuid).toMatch(/^[\da-f-]{36}$/)
    expect(sent.names).toEqual(['large.txt'])
    const bytes = sent.progress.map(({ sentBytes }) => sentBytes)
    expect(bytes.length).toBeGreaterThan(1)
    expect(bytes).toEqual([...bytes].sort((one, other) => one - other))
    expect(sent.progress.at(-1)).toMatchObject({ percent: 100, sentBytes: sent.progress[0]?.totalBytes })
    expect(sent.progress[0]?.totalBytes).toBeGreaterThanOrEqual(20 * MB)
  })

  it('aborts a file that is under way, of which nothing stays', async ({ skip }) => {
    if (missing !== undefined) skip(`left out: ${missing}`)
    const left = await inPage(`
      const leaving = new AbortController()
      const file = { fileName: 'left.txt', content: large('Somebody left the page.\\n') }
      const onProgress = ({ percent }) => percent < 100 && leaving.abort(new Error('left the page'))
      const error = await client.upload(id, file, { onProgress, signal: leaving.signal }).catch((reason) => reason)
      const list = await alcove.dataOf(client.GET('/context/documents/{contextId}', { params: { path: { contextId: id } } }))
      return { message: error.message, names: list.map(({ displayName }) => displayName) }
    `)
    expect(left).toEqual({ message: 'left the page', names: ['large.txt'] })
  })

  it('gets the code of a refusal', async ({ skip }) => {
    if (missing !== undefined) skip(`left out: ${missing}`)
    const refused = await inPage(`
      const file = { fileName: 'a.xyz', content: new Blob(['no']) }
      const error = await client.upload(id, file, { onProgress: () => {} }).catch((reason) => reason)
      return { status: error.status, code: error.code, isItsClass: error instanceof alcove.AlcoveApiError }
    `)
    expect(refused).toEqual({ status: 400, code: 'ERR_UNSUPPORTED_FORMAT', isItsClass: true })
  })

  it('follows a document by the stream of states, and ends it', async ({ skip }) => {
    if (missing !== undefined) skip(`left out: ${missing}`)
    const followed = (await inPage(`
      const ending = new AbortController()
      const states = []
      const uuid = await client.upload(id, { fileName: 'leave.txt', content: new Blob(['Leave takes 17 weeks.']) })
      try {
        for await (const state of client.watch(id, { signal: ending.signal })) {
          if (state.uuid !== uuid) continue
          states.push(state.status)
          if (state.status === 'completed') ending.abort(new Error('seen'))
        }
      } catch (error) {
        if (error.message !== 'seen') throw error
      }
      const document = await client.whenProcessed(id, uuid)
      return { states, name: document.displayName }
    `)) as { readonly states: readonly string[]; readonly name: string }
    expect(followed.states.at(-1)).toBe('completed')
    expect(followed.name).toBe('leave.txt')
  })
})

interface Progress {
  readonly sentBytes: number
  readonly totalBytes: number
  readonly percent: number
}
