import { compileFunction } from 'node:vm'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  conditionsOf,
  type FilterCondition,
  withCondition,
  withoutCondition,
} from '../../../adapters/console/app/search/question/filter.js'
import type { Session } from '../../../src/index.js'
import {
  type ConsolePage,
  type ConsoleTest,
  MISSING_BROWSER,
  openConsoleTest,
  picture,
  seriousViolations,
  sidewaysScrolls,
} from './console-test.js'
import { clipboardOf, runCurl, runNode } from './run-code.js'

const MARKUP = '<img src=x onerror=alert(1)>'
const TEXTS = { description: 'Answer from the documents.', caption: 'Repairs', toolsJson: '[]' }
const STARTER = `How big is the gasket of HC-2040-B? ${MARKUP}`

const PUMPS = `# Pumps

## Gaskets

Pump HC-2040-B has a gasket of 71 mm. Replace it every six months. ${MARKUP}
`
const VALVES = 'Valve HC-2040-A has a gasket of 73 mm. Replace it once a year.'
const LEAVE = 'New parents stay at home for eighteen weeks with full pay.'

describe.skipIf(MISSING_BROWSER !== undefined)('trying a search in the console', () => {
  let test: ConsoleTest
  let session: Session
  let shown: ConsolePage
  let page: Page
  const ids = { workshop: 0, staff: 0, empty: 0 }

  beforeAll(async () => {
    test = await openConsoleTest()
    session = test.engine.as(test.engine.owner)
    shown = await test.openPage()
    page = shown.page
    await shown.logIn()
  })

  afterAll(async () => {
    await test.close()
  })

  const field = (name: string): Locator => page.getByRole('textbox', { name, exact: true })
  const hits = (): Locator => page.getByRole('listitem').filter({ has: page.getByRole('heading', { level: 3 }) })
  const status = async (text: string): Promise<void> => {
    await page.getByRole('status').filter({ hasText: text }).waitFor()
  }

  it('says what to do without a GPT, and without documents', async () => {
    await shown.open('/search')
    await page.getByRole('heading', { name: 'There is no GPT to search' }).waitFor()
    expect(await page.getByRole('link', { name: 'Create a GPT' }).getAttribute('href')).toBe('/console/gpts')
    ids.empty = (await session.contexts.create({ name: `Empty ${MARKUP}`, ...TEXTS })).id
    await page.reload()
    await page.getByRole('heading', { name: 'There are no documents yet' }).waitFor()
    // The only GPT is chosen already, also while the list is read once more.
    const chosen = page.getByRole('button', { name: `Leave out Empty ${MARKUP}` })
    await chosen.waitFor()
    let count = 0
    await page.route(/\/context\?/, () => {
      // It never answers.
      count += 1
    })
    const comeBack = async (): Promise<number> => {
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))")
      return count
    }
    await expect.poll(comeBack, { timeout: 10_000 }).toBe(1)
    expect(await chosen.count()).toBe(1)
    await page.unroute(/\/context\?/)
    await field('Question').fill('How big is the gasket?')
    await page.keyboard.press('Enter')
    await status('No hits.')
    await page.getByText('This GPT has no documents. Upload some, then ask again.').waitFor()
    const upload = page.getByRole('link', { name: 'Upload documents' })
    expect(await upload.getAttribute('href')).toBe(`/console/gpts/${ids.empty}/documents`)
    expect(shown.faults).toEqual([])
  })

  it('begins with a starter prompt, and shows hits with their places, marks, scores and reasons', async () => {
    ids.workshop = (await session.contexts.create({ name: 'Workshop', ...TEXTS, starterPrompts: [STARTER] })).id
    ids.staff = (await session.contexts.create({ name: 'Staff', ...TEXTS })).id
    for (const [id, fileName, content, metadata] of [
      [ids.workshop, 'pumps.md', PUMPS, { year: 2026, state: MARKUP }],
      [ids.workshop, 'valves.txt', VALVES, { year: 2020 }],
      [ids.staff, 'leave.txt', LEAVE, {}],
    ] as const) {
      await session.documents.whenProcessed(await session.documents.upload(id, { fileName, content, metadata }))
    }
    await session.documents.update((await session.documents.list(ids.staff))[0]?.uuid ?? '', { displayName: MARKUP })
    await shown.open('/search')
    await page.getByRole('heading', { name: 'Nothing asked yet' }).waitFor()
    // By keyboard: the list of GPTs, a part of a name, a choice.
    await page.getByRole('button', { name: 'Choose GPTs' }).focus()
    await page.keyboard.press('Enter')
    // The list opens after the press, and is read then: what is pressed before is lost.
    await page.locator('input[type=search]:focus').waitFor()
    await page.getByRole('option', { name: /^Empty/ }).waitFor()
    await page.keyboard.type('works')
    await page.getByRole('option', { name: /^Empty/ }).waitFor({ state: 'detached' })
    await page.getByRole('option', { name: /^Workshop/ }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: STARTER }).click()
    await status('2 hits.')
    await page.getByText('By words it has place 1.').waitFor()
    const first = hits().first()
    expect(await first.getByRole('heading', { level: 3 }).innerText()).toBe('pumps.md')
    const [found] = await session.search(ids.workshop, STARTER)
    const text = await first.innerText()
    expect(text).toContain(`Pumps › Gaskets · year: 2026 · state: ${MARKUP}`)
    expect(text).toContain(
      'Words and meaning both found it. By words it has place 1. Its name or headings have: gasket. By meaning it has place 1.',
    )
    expect(text).toMatch(
      new RegExp(`Meaning\\s+${found?.similarity.toFixed(3)}\\s+Together\\s+${found?.score.toFixed(3)}`),
    )
    const marks = await first.locator('mark').allInnerTexts()
    expect(marks.join('')).toContain('HC-2040-B has a gasket')
    const address = new URL(
      (await first.getByRole('link', { name: 'pumps.md' }).getAttribute('href')) ?? '',
      test.address,
    )
    expect(address.pathname).toBe(`/console/gpts/${ids.workshop}/documents/${found?.docId}`)
    expect(address.searchParams.get('chunk')).toBe(String(found?.id))
    const [from, to] = ['from', 'to'].map((name) => Number(address.searchParams.get(name)))
    const { start = 0 } = found?.source ?? {}
    expect([from, to]).toEqual([start + (found?.match.start ?? 0), start + (found?.match.end ?? 0)])
    await page.getByText('How the question was read').click()
    expect(await page.getByRole('row', { name: /^gasket/ }).innerText()).toMatch(/gasket\s+2\s+2/)
    expect(await page.getByRole('row', { name: /^How/ }).innerText()).toContain('counts little')
    await picture(page, 'console-search')
    expect(shown.faults).toEqual([])
  })

  it('keeps the search in the address, and goes back to the one before', async () => {
    const address = new URL(page.url())
    expect(address.searchParams.get('context')).toBe(String(ids.workshop))
    expect(address.searchParams.get('prompt')).toBe(STARTER)
    await field('Question').fill('valve')
    await page.keyboard.press('Enter')
    await page.getByText('By words it has place 1.').waitFor()
    expect(new URL(page.url()).searchParams.get('prompt')).toBe('valve')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA')
    await page.goBack()
    await expect.poll(async () => await field('Question').inputValue()).toBe(STARTER)
    await page.getByRole('button', { name: 'valve', exact: true }).click()
    await status('2 hits.')
    await expect.poll(async () => await field('Question').inputValue()).toBe('valve')
  })

  it('says why an answer is empty, and mends it by a press', async () => {
    await shown.open(`/search?context=${ids.workshop}&prompt=gasket&threshold=0.99`)
    await status('No hits.')
    await page
      .getByText(/^The nearest passage has a similarity of 0\.\d{3}, and the least similarity is 0\.990\./)
      .waitFor()
    await page.getByText('How the question was read').scrollIntoViewIfNeeded()
    await picture(page, 'console-search-empty')
    await page.getByRole('button', { name: /^Search with the least similarity 0\.\d/ }).click()
    await status('hit')
    await page.getByText('Why is this empty?').waitFor({ state: 'detached' })
    await shown.open(`/search?context=${ids.workshop}&prompt=sealing%20ring&mode=keyword`)
    await page.getByText('No document has a word of your question.').waitFor()
    await page.getByRole('button', { name: 'Search by words and meaning' }).click()
    await status('2 hits.')
    expect(new URL(page.url()).searchParams.get('mode')).toBe('hybrid')
    await shown.open(`/search?context=${ids.workshop}&prompt=xylophone`)
    await page.getByText('The documents have few words of your question, and nothing near it in meaning.').waitFor()
    await page.getByRole('button', { name: 'Search by meaning only' }).click()
    await status('2 hits.')
    expect(shown.faults).toEqual([])
  })

  it('filters by metadata with a form that writes JSON', async () => {
    await shown.open(`/search?context=${ids.workshop}&prompt=gasket`)
    await status('2 hits.')
    await page.getByText('Only some documents (filter)').click()
    await field('Field').fill('year')
    await page.getByRole('button', { name: /Test$/ }).click()
    await page.getByRole('option', { name: 'is at least' }).click()
    await field('Value').fill('2025')
    await page.keyboard.press('Enter')
    expect(await field('The filter as JSON').inputValue()).toBe('{"metadata":{"year":{"gte":2025}}}')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await status('1 hit.')
    await page.getByRole('button', { name: 'Remove the condition: year is at least 2025' }).click()
    await field('The filter as JSON').fill('{"metadata":')
    await page.getByText(/^This is not a JSON object/).waitFor()
    await field('The filter as JSON').fill('{"metadata":{"year":{"gte":[1]}}}')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText(/^Filter\.metadata\.year/)
      .waitFor()
    await field('The filter as JSON').fill('{"metadata":{"year":1900}}')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText('The filter leaves none of the documents (2).').waitFor()
    await page.getByRole('button', { name: 'Search without the filter' }).click()
    await status('2 hits.')
    expect(shown.faults).toEqual([])
  })

  it('shows two settings side by side, with what moved and what only one has', async () => {
    await shown.open(`/search?context=${ids.workshop}&prompt=${encodeURIComponent('HC-2040-B valves')}`)
    await status('2 hits.')
    await page.getByText('Bold: words of the question that count.').waitFor()
    await page.getByText('Marked: the part that fits the question best.').waitFor()
    // The comparison shows its settings, which were in a fold.
    await page.getByRole('button', { name: 'Compare with other settings' }).click()
    expect(await page.getByRole('group', { name: 'Settings A' }).isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await status('2 hits with the settings A. 2 hits with the settings B.')
    const [left, right] = ['A', 'B'].map((name) => page.getByRole('region', { name: `Hits with the settings ${name}` }))
    await left?.getByText('Place 2 in B (1 lower there)').waitFor()
    await right?.getByText('Place 1 in A (1 higher there)').waitFor()
    await right?.getByText('Only meaning counts in this mode. By meaning it has place 1.').waitFor()
    await right?.getByText('How the question was read').scrollIntoViewIfNeeded()
    await picture(page, 'console-search-compare')
    const settings = page.getByRole('group', { name: 'Settings B' })
    await settings.getByRole('button', { name: /Search mode$/ }).click()
    await page.getByRole('option', { name: /^Words only/ }).click()
    await settings.getByRole('textbox', { name: 'Most hits' }).fill('1')
    await page.keyboard.press('Enter')
    await status('2 hits with the settings A. 1 hit with the settings B.')
    await left?.getByText('Same place in B').waitFor()
    await left?.getByText('Only in A').waitFor()
    await right?.getByText('Only words count in this mode. By words it has place 1.').waitFor()
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('mode2'), searchParams.get('topN2')]).toEqual(['keyword', '1'])
    expect(shown.faults).toEqual([])
  })

  it('searches several GPTs at once, and names them', async () => {
    await shown.open(`/search?context=${ids.workshop},${ids.staff}&prompt=${encodeURIComponent('weeks at home')}`)
    await status('3 hits.')
    const first = hits().first()
    await first.getByText('By words it has place 1.').waitFor()
    expect(await first.innerText()).toContain('Staff')
    expect(await first.getByRole('heading', { level: 3 }).innerText()).toBe('_img src=x onerror=alert(1)_')
    await page.getByRole('button', { name: 'Leave out Workshop' }).click()
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await status('1 hit.')
    await shown.open('/search?context=999&prompt=gasket')
    await page.getByRole('alert').waitFor()
    await page.getByText('GPT 999: not found, or not yours to see').waitFor()
    expect(shown.faults).toEqual([])
  })

  it('copies a search as code that runs as it is', async () => {
    const prompt = `what's the "gasket" of $HOME? \\`
    const filter = JSON.stringify({ metadata: { year: { gte: 2025 }, 'a key': { exists: false } } })
    const query = `prompt=${encodeURIComponent(prompt)}&topN=2&filter=${encodeURIComponent(filter)}`
    await shown.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await shown.open(`/search?context=${ids.workshop}&${query}`)
    const [curl = '', client = '', host = ''] = await codesOf(page)
    const token = await accessToken(test)
    const [expected] = await session.search(ids.workshop, prompt, { topN: 2, filter: JSON.parse(filter) as object })
    expect(await runCurl(curl, { TOKEN: token })).toMatchObject([{ id: expected?.id, score: expected?.score }])
    const line = `${expected?.score.toFixed(3)} pumps.md`
    expect(await runClient(client, test)).toEqual([line])
    expect(await runHost(host, test)).toEqual([line])

    // A key that does not see the GPT gets 404, so the page says which key to take, and where it is made.
    await page.getByRole('button', { name: 'Copy as code' }).click()
    await page.getByText('take one that acts as “Me”').waitFor()
    await page.getByRole('link', { name: 'Create an API key' }).click()
    await page.getByText('Me', { exact: true }).click()
    await page.getByRole('button', { name: 'Create the key' }).click()
    const tokenCommand = await page.locator('pre').innerText()
    const { access_token: own } = (await runCurl(tokenCommand)) as { readonly access_token: string }
    expect(await runCurl(curl, { TOKEN: own })).toMatchObject([{ id: expected?.id }])
    await page.getByRole('button', { name: 'I have the secret' }).click()

    await shown.open(`/search?context=${ids.workshop},${ids.staff}&${query}`)
    const [, several = '', hostOfSeveral = ''] = await codesOf(page)
    expect(await runClient(several, test)).toEqual(await runHost(hostOfSeveral, test))
    expect(shown.faults).toEqual([])
  })

  it('cuts long passages to the part that matched, and shows the rest by a press', async () => {
    const filler = 'Plain words about nothing at all stand here for a while. '.repeat(8)
    const content = `Beginning. ${filler} The zebra eats crème brûlée. ${filler} Ending.`
    const uuid = await session.documents.upload(ids.empty, { fileName: 'long.txt', content })
    await session.documents.whenProcessed(uuid)
    await shown.open(`/search?context=${ids.empty}&prompt=${encodeURIComponent('zebras creme')}`)
    const passage = hits().first().getByRole('blockquote')
    await passage.locator('mark strong').first().waitFor()
    expect((await passage.locator('strong').allInnerTexts()).join(' ')).toBe('zebra crème')
    expect(await passage.innerText()).toMatch(/^… .*zebra.* …$/s)
    await hits().first().getByRole('button', { name: 'Show the text around it' }).click()
    expect(await passage.innerText()).toMatch(/^Beginning\. .*Ending\.$/s)
    expect(shown.faults).toEqual([])
  })

  it('asks for what is missing before it searches', async () => {
    await shown.open('/search')
    await field('Question').fill('  ')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText('Choose at least one GPT.').waitFor()
    await page.getByText('Write a question first.').waitFor()
  })

  it('says which numbers it takes, in place of a search with others', async () => {
    await shown.open(`/search?context=${ids.workshop}&prompt=gasket`)
    await status('2 hits.')
    await page.getByText(/^Settings: /).click()
    await field('Most hits').fill('500')
    await page.keyboard.press('Enter')
    await page.getByText('Enter a whole number from 1 to 100, or leave it empty.').waitFor()
    expect(page.url()).not.toContain('topN')
    await field('Most hits').fill('1')
    await page.keyboard.press('Enter')
    await status('1 hit.')
    expect(page.url()).toContain('topN=1')
  })

  it('cancels a search when the next one begins', async () => {
    await shown.open(`/search?context=${ids.workshop}&prompt=gasket`)
    await status('2 hits.')
    const cancelled: string[] = []
    page.on('requestfailed', (request) => cancelled.push(String(request.postData())))
    await page.route('**/context/relevant-docs/*', async (route) => {
      if ((route.request().postDataJSON() as { prompt: string }).prompt !== 'slow') await route.continue()
    })
    await field('Question').fill('slow')
    await page.keyboard.press('Enter')
    await status('Searching…')
    await field('Question').fill('valve')
    await page.keyboard.press('Enter')
    await status('2 hits.')
    expect(cancelled.filter((body) => body.includes('"slow"'))).toHaveLength(1)
    await page.unroute('**/context/relevant-docs/*')
  })

  it('speaks German, has nothing serious for axe in both themes, and fits 360 px', async () => {
    const query = `?context=${ids.workshop}&prompt=gasket&compare=1&mode2=keyword&filter=${encodeURIComponent('{"metadata":{"year":2026}}')}`
    const small = await test.openPage({ language: 'de', width: 360 })
    await small.logIn()
    await small.open(`/search${query}`)
    await small.page
      .getByText(/^Diese Wörter der Frage stehen in fast allen Stellen/)
      .first()
      .waitFor()
    await small.page.getByText('Wie die Frage gelesen wurde').first().click()
    expect(await seriousViolations(small.page)).toEqual([])
    expect(await sidewaysScrolls(small.page)).toEqual([])
    await small.page.emulateMedia({ colorScheme: 'dark' })
    expect(await seriousViolations(small.page)).toEqual([])
    await small.page.getByRole('button', { name: 'Als Code kopieren' }).first().click()
    await small.page.getByRole('dialog').waitFor()
    expect(await seriousViolations(small.page)).toEqual([])
    await picture(small.page, 'console-search-code')
    await small.page.keyboard.press('Escape')
    await small.page.getByRole('button', { name: 'Ändern' }).click()
    await small.page.getByRole('option', { name: /^Workshop/ }).waitFor()
    expect(await seriousViolations(small.page)).toEqual([])
    await picture(small.page, 'console-search-choice')
    expect(small.faults).toEqual([])
    await small.context.close()
  })
})

describe('the form of a filter', () => {
  it('adds and removes conditions, and tells numbers from texts', () => {
    const conditions: readonly FilterCondition[] = [
      { key: 'state', test: 'equals', value: 'draft, or not' },
      { key: 'year', test: 'gte', value: '2025' },
      { key: 'year', test: 'lt', value: '2027.5' },
      { key: 'number', test: 'equals', value: '"2026"' },
      { key: 'tags', test: 'in', value: 'rent, "7", 7, true' },
      { key: 'tags', test: 'not', value: 'board' },
      { key: '__proto__', test: 'exists', value: '' },
      { key: 'owner', test: 'missing', value: '' },
    ]
    const filter = conditions.reduce(withCondition, { documents: [1] })
    expect(JSON.parse(JSON.stringify(filter))).toEqual({
      documents: [1],
      metadata: {
        state: 'draft, or not',
        year: { gte: 2025, lt: 2027.5 },
        number: '2026',
        tags: { in: ['rent', '7', 7, true], not: 'board' },
        ['__proto__']: { exists: true },
        owner: { exists: false },
      },
    })
    expect(conditionsOf(filter)).toEqual(conditions)
    const removed = conditions.reduce((left, condition) => withoutCondition(left, condition) ?? {}, filter)
    expect(removed).toEqual({ documents: [1] })
  })
})

/** The three codes of the first column, as the dialog copies them. */
async function codesOf(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'Copy as code' }).click()
  const codes: string[] = []
  for (const name of ['curl', 'TypeScript, over the network', 'TypeScript, in your application']) {
    await page.getByRole('tab', { name }).click()
    await page.getByRole('button', { name: 'Copy this code' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    codes.push(await clipboardOf(page))
  }
  await page.keyboard.press('Escape')
  return codes
}

async function accessToken({ address, key }: ConsoleTest): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: key.clientId, client_secret: key.clientSecret }
  const body = new URLSearchParams({ ...form, target_app: 'assistant' })
  const answer = await fetch(`${address}/connect/token`, { method: 'POST', body })
  return ((await answer.json()) as { readonly access_token: string }).access_token
}

async function runClient(code: string, { key }: ConsoleTest): Promise<string[]> {
  return await runNode(code, { CLIENT_ID: key.clientId, CLIENT_SECRET: key.clientSecret })
}

/** Runs a program for a host. It gets the engine of the test, which holds the folder. @returns the lines that it prints */
async function runHost(code: string, { engine }: ConsoleTest): Promise<string[]> {
  const lines: string[] = []
  const console = { log: (...values: unknown[]) => lines.push(values.join(' ')) }
  const openLocalEngine = async () => ({
    owner: engine.owner,
    as: engine.as.bind(engine),
    close: async () => undefined,
  })
  const body = `return (async () => {\n${code.replace(/^import .*$/gm, '')}\n})()`
  const run = compileFunction(body, ['openLocalEngine', 'console']) as (...values: unknown[]) => Promise<void>
  await run(openLocalEngine, console)
  return lines
}
