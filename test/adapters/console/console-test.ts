import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import AxeBuilder from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { createConsoleHandler } from '../../../adapters/console/index.js'
import { createHttpHandler, type HttpServer, serveHttp } from '../../../adapters/http-server/index.js'
import { type LocalEngineOptions, openLocalEngine } from '../../../adapters/local/index.js'
import type { Engine, InitializeResult } from '../../../src/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
import { openConsolePlace } from './console-place.js'

/** The browser that `CHROME_PATH` names, or the one that a distribution of Linux has installed. */
const BROWSER = [process.env['CHROME_PATH'], '/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser']
  .filter((path) => path !== undefined)
  .find((path) => existsSync(path))

/** Why the tests of the console are left out; undefined if they run. */
export const MISSING_BROWSER: string | undefined =
  BROWSER === undefined ? 'left out: no Chromium is installed; CHROME_PATH can name one' : undefined

/** The password of every user of these tests. */
export const PASSWORD = 'correct horse battery staple'

/** A server with the console on a folder of its own, and a browser. */
export interface ConsoleTest {
  readonly engine: Engine
  readonly address: string
  readonly browser: Browser
  readonly key: InitializeResult
  readonly owner: { readonly email: string; readonly password: string }
  /** A page in a browser profile of its own: no cookies of other pages. */
  openPage(options?: PageOptions): Promise<ConsolePage>
  /** Closes the server and its engine. `start` opens both on the same folder and port. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

interface PageOptions {
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
  readonly language?: 'en' | 'de'
}

/** A page that notes what no page of the console may do. */
export interface ConsolePage {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors in the browser's console, failures of scripts, and requests to other servers. */
  readonly faults: readonly string[]
  /** Opens a path of the console, such as `/gpts`. */
  readonly open: (path: string) => Promise<void>
  readonly logIn: (user?: { readonly email: string; readonly password: string }) => Promise<void>
}

const OWNER_EMAIL = 'owner@example.com'

/**
 * Opens an engine, initializes it, and serves the API with the console.
 * @param databaseName see {@link openConsolePlace}
 */
export async function openConsoleTest(
  options: Partial<LocalEngineOptions> = {},
  databaseName?: string,
): Promise<ConsoleTest> {
  const folder = await temporaryFolder()
  const place = await openConsolePlace(databaseName)
  const initial = { companyName: 'Harbour Works', ownerEmail: OWNER_EMAIL }
  const open = async (port: number): Promise<Running> => {
    const engine = await openLocalEngine({ dataDir: folder.path, initial, ...place.options(), ...options })
    const mounts = { '/console/*': createConsoleHandler() }
    const handler = createHttpHandler(engine, { cookieLogins: true, signInUrl: '/console', mounts })
    return { engine, server: await serveHttp(handler, { host: '127.0.0.1', port }) }
  }
  const stop = async ({ engine, server }: Running): Promise<void> => {
    // The engine first: running requests then end at once.
    await engine.close()
    await server.close()
  }
  let running = await open(0)
  const { engine: first, server } = running
  const key = await first.initialize(initial)
  await first.administration.users.completeSetup(first.owner.userId, PASSWORD)
  await first.warmUp()
  const browser = await launch()
  const owner = { email: OWNER_EMAIL, password: PASSWORD }
  return {
    get engine() {
      return running.engine
    },
    address: server.address,
    browser,
    key,
    owner,
    openPage: async (pageOptions) => await openPage(browser, server, owner, pageOptions),
    stop: async () => await stop(running),
    start: async () => {
      running = await open(server.endpoint.port)
    },
    close: async () => {
      await browser.close()
      await stop(running)
      await place.dispose()
      await folder.remove()
    },
  }
}

interface Running {
  readonly engine: Engine
  readonly server: HttpServer
}

async function launch(): Promise<Browser> {
  return await chromium.launch({ ...(BROWSER !== undefined && { executablePath: BROWSER }), args: ['--no-sandbox'] })
}

async function openPage(
  browser: Browser,
  { address }: HttpServer,
  owner: ConsoleTest['owner'],
  { colorScheme = 'light', width = 1_280, language = 'en' }: PageOptions = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, locale: language })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    // A browser writes an error for each answer that is no success; the page shows those itself.
    const isAnswer = message.text().startsWith('Failed to load resource: the server responded')
    if (['error', 'warning'].includes(message.type()) && !isAnswer) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => {
    const url = request.url()
    if (!/^(data|blob):/.test(url) && !url.startsWith(`${address}/`)) faults.push(`a request to ${url}`)
  })
  const open = async (path: string): Promise<void> => {
    await page.goto(`${address}/console${path}`)
  }
  return {
    page,
    context,
    faults,
    open,
    logIn: async ({ email, password } = owner) => {
      if (!page.url().startsWith(`${address}/console`)) await open('/')
      await page.getByRole('textbox', { name: /^(E-mail address|E-Mail-Adresse)/ }).fill(email)
      await page.getByRole('textbox', { name: /^(Password|Passwort)/ }).fill(password)
      await page.getByRole('button', { name: /^(Sign in|Anmelden)$/ }).click()
      await page.getByRole('button', { name: /^(Sign out|Abmelden)$/ }).waitFor()
    },
  }
}

interface Violation {
  readonly id: string
  readonly impact?: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** Finds problems of accessibility with axe. @returns those of at least serious impact, as texts */
export async function seriousViolations(page: Page): Promise<readonly string[]> {
  // An expression of the browser's debugger: the policy of the page forbids scripts inside it.
  await page.evaluate(AxeBuilder.source)
  // The announcer keeps its messages for some seconds, also about buttons that are gone by then.
  const violations = await page.evaluate<readonly Violation[]>(
    "axe.run({ exclude: ['[data-live-announcer]'] }).then(({ violations }) => violations)",
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}

/** @returns what scrolls sideways: the page, or a place with a table. A page must do neither at any width */
export async function sidewaysScrolls(page: Page): Promise<readonly string[]> {
  return await page.evaluate<readonly string[]>(`(() => {
    const isWide = (element) => element.scrollWidth > element.clientWidth
    const tables = [...document.querySelectorAll('table, [role=table]')].flatMap((table) => [table, table.parentElement])
    const wide = tables.filter(isWide).map((table) => table.outerHTML.slice(0, 200))
    const root = document.documentElement
    return isWide(root) ? ['the page: ' + root.scrollWidth, ...wide] : wide
  })()`)
}

/** Keeps a picture of the page for the documentation, if `ALCOVE_SCREENSHOTS` names a folder. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['ALCOVE_SCREENSHOTS']
  if (folder === undefined || folder === '') return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: `${folder}/${name}.png` })
}
