import type { Locator, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Session } from '../../../src/index.js'
import {
  type ConsolePage,
  type ConsoleTest,
  MISSING_BROWSER,
  openConsoleTest,
  PASSWORD,
  picture,
  seriousViolations,
  sidewaysScrolls,
} from './console-test.js'

/** A text that a page must show as it is. */
const MARKUP = '<img src=x onerror=alert(1)>'
const LAMPS = Array.from({ length: 400 }, (_, item) => `Lamp ${item} stands in room ${item % 37}.`).join(' ')
const READER = { email: 'reader@example.com', password: PASSWORD }

describe.skipIf(MISSING_BROWSER !== undefined)('the section My GPTs', () => {
  let test: ConsoleTest
  let session: Session
  let owner: ConsolePage
  let page: Page

  beforeAll(async () => {
    test = await openConsoleTest()
    session = test.engine.as(test.engine.owner)
    await addReader(test)
    owner = await test.openPage()
    page = owner.page
    await owner.open('/gpts')
    await owner.logIn()
  })

  afterAll(async () => {
    await test.close()
  })

  it('teaches what a GPT is, and creates the first one with prompts in order and a tool', async () => {
    await page.getByRole('heading', { name: 'Create your first GPT' }).waitFor()
    await picture(page, 'console-gpts-empty')
    expect(await seriousViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'Create the first GPT' }).click()
    await page.getByRole('button', { name: 'Create the GPT' }).click()
    const name = page.getByRole('textbox', { name: 'Name' })
    await expectSentence(name, 'Fill in this field.')
    await expectFocus(name)
    await name.fill('Handbook')
    await page.getByRole('textbox', { name: 'Caption' }).fill('Answers about work at the harbour')
    await page.getByRole('textbox', { name: 'Instructions' }).fill(`Answer from the handbook. ${MARKUP}`)
    for (const text of ['Second?', 'First?', MARKUP]) {
      await page.getByRole('button', { name: 'Add a starter prompt' }).click()
      await page.keyboard.type(text)
    }
    await page.getByRole('button', { name: 'Move starter prompt 2 up' }).press('Enter')
    expect(await promptsOf(page)).toEqual(['First?', 'Second?', MARKUP])
    // The keyboard goes on at the same prompt, where a button can still do something.
    await expectFocus(page.getByRole('button', { name: 'Move starter prompt 1 down' }))
    await page.getByRole('textbox', { name: 'Starter prompt 3' }).press('Alt+ArrowUp')
    expect(await promptsOf(page)).toEqual(['First?', MARKUP, 'Second?'])
    await expectFocus(page.getByRole('textbox', { name: 'Starter prompt 2' }))
    await addTool(page)
    await page.getByRole('button', { name: 'Create the GPT' }).click()
    await page.waitForURL(/\/gpts\/1\/documents$/)
    const [created] = await session.contexts.list()
    expect(created).toMatchObject({ name: 'Handbook', starterPrompts: ['First?', MARKUP, 'Second?'] })
    expect(JSON.parse(created?.toolsJson ?? '')).toEqual([
      {
        id: 1,
        name: 'book_room',
        description: 'Books a room.',
        action: 'Run Agent',
        agentId: 7,
        parameters: [{ paramName: 'seats', type: 'integer', required: false, description: 'Number of seats' }],
      },
    ])
  })

  it('checks tools in the form, shows their JSON, and takes pasted JSON with members that it does not know', async () => {
    await owner.open('/gpts/1/edit')
    await page.getByRole('textbox', { name: 'Function name' }).fill('1 room')
    await page.getByRole('button', { name: 'Save' }).click()
    await expectSentence(page.getByRole('textbox', { name: 'Function name' }), 'no digit first')
    await page.getByRole('tab', { name: 'JSON' }).click()
    const json = page.getByRole('textbox', { name: 'Tools as JSON' })
    expect(await json.inputValue()).toContain('"name": "1 room"')
    await json.fill('[{"id":')
    await expectSentence(json, 'The JSON cannot be read. Check commas, quotes and brackets.')
    await page.getByRole('tab', { name: 'Form' }).click()
    await json.waitFor()
    const tool = { id: 4, name: 'find_ship', description: MARKUP, action: 'Run Agent', agentId: 9, icon: 'ship' }
    await json.fill(JSON.stringify([{ ...tool, id: 'four' }]))
    await expectSentence(json, 'The JSON at [0].id must be a whole number.')
    await json.fill(JSON.stringify([tool, { ...tool, id: 5 }]))
    await expectSentence(json, 'Another tool has this name.')
    await json.fill(JSON.stringify([tool]))
    await page.getByRole('tab', { name: 'Form' }).click()
    expect(await page.getByRole('textbox', { name: 'Function name' }).inputValue()).toBe('find_ship')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The changes are saved.').waitFor()
    const { toolsJson, starterPrompts } = await session.contexts.get(1)
    expect(JSON.parse(toolsJson)).toEqual([{ ...tool, parameters: [] }])
    expect(starterPrompts).toHaveLength(3)
    await picture(page, 'console-gpts-edit')
  })

  it('shows what the server refuses at the field that it names', async () => {
    await owner.open('/gpts/1/edit')
    // The form cannot know that the storage takes no such character.
    await page.getByRole('textbox', { name: 'Caption' }).fill('A\u0000B')
    await page.getByRole('button', { name: 'Save' }).click()
    const caption = page.getByRole('textbox', { name: 'Caption' })
    await expectFocus(caption)
    await expectSentence(caption, 'Must not contain the character U+0000.')
    await caption.fill('Answers about work at the harbour')
    await expect.poll(async () => await sentencesOf(caption)).not.toContain('Must not contain the character U+0000.')
  })

  it('asks before unsaved changes are lost: by a link, by the back button, and at the end of a login', async () => {
    await owner.open('/gpts')
    await page.getByRole('link', { name: 'Handbook' }).click()
    await page.getByRole('link', { name: 'Edit' }).click()
    const caption = page.getByRole('textbox', { name: 'Caption' })
    await caption.fill('Unsaved')
    await page.getByRole('link', { name: 'Settings' }).click()
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await page.goBack()
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await caption.inputValue()).toBe('Unsaved')
    expect(page.url()).toMatch(/\/gpts\/1\/edit$/)
    await owner.context.clearCookies()
    await page.getByRole('button', { name: 'Save' }).click()
    await owner.logIn()
    await page.getByText('These are your changes from before.').waitFor()
    expect(await caption.inputValue()).toBe('Unsaved')
    await page.goBack()
    await question.getByRole('button', { name: 'Leave and lose the changes' }).click()
    await page.waitForURL(/\/gpts\/1\/documents$/)
    await page.getByRole('link', { name: 'Edit' }).click()
    expect(await caption.inputValue()).toBe('Answers about work at the harbour')
  })

  it('keeps what somebody else has changed meanwhile, and asks where both have changed the same', async () => {
    const before = await session.contexts.get(1)
    const { name, description, caption } = before
    await owner.open('/gpts/1/edit')
    const own = page.getByRole('textbox', { name: 'Caption' })
    await own.fill('Mine')
    await session.contexts.update(1, { name: 'Renamed', description, caption })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The changes are saved.').waitFor()
    expect(await session.contexts.get(1)).toMatchObject({ name: 'Renamed', caption: 'Mine' })
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Renamed')

    await own.fill('Mine again')
    await session.contexts.update(1, { name, description: 'Theirs', caption: 'Theirs' })
    await page.getByRole('button', { name: 'Save' }).click()
    const note = page.getByRole('alert').filter({ hasText: 'somebody else has changed this too' })
    await expectFocus(note)
    await picture(page, 'console-gpts-conflict')
    expect(await note.innerText()).toMatch(/since you began: Caption\./)
    expect(await session.contexts.get(1)).toMatchObject({ caption: 'Theirs' })
    await page.getByRole('button', { name: 'Save' }).click()
    await note.waitFor({ state: 'detached' })
    expect(await session.contexts.get(1)).toMatchObject({ name, description: 'Theirs', caption: 'Mine again' })

    await own.fill('Mine once more')
    await session.contexts.update(1, { name, description, caption })
    await page.getByRole('button', { name: 'Save' }).click()
    await note.getByRole('button', { name: 'Take the other change' }).click()
    expect(await own.inputValue()).toBe(caption)
    await page.getByText('You have unsaved changes.').waitFor({ state: 'detached' })
    expect(await session.contexts.get(1)).toEqual(before)
  })

  it('shares a GPT, which its reader finds apart, and may only look at', async () => {
    await session.contexts.create({ name: MARKUP, description: MARKUP, caption: MARKUP, toolsJson: '[]' })
    await owner.open('/gpts/2/settings')
    const share = page.getByRole('switch', { name: 'Share this GPT' })
    await expectSentence(share, 'Only its owner sees it')
    await share.press('Space')
    await page.getByText('The GPT is shared.').waitFor()
    await expectSentence(share, 'Everybody with a right on the account')
    await page.getByText('📘').click()
    await page.getByText('The icon is saved.').waitFor()

    const reader = await test.openPage()
    await reader.open('/gpts')
    await reader.logIn(READER)
    const shared = reader.page.getByRole('region', { name: 'Shared with you' })
    await shared.getByRole('link', { name: MARKUP }).click()
    await reader.page.getByRole('link', { name: 'Instructions' }).click()
    await reader.page.getByText('You may look at this GPT, but not change it.').waitFor()
    await reader.page.getByRole('link', { name: 'Settings' }).click()
    await reader.page.getByText('You may look at the settings, but not change them.').waitFor()
    await reader.page.getByText('Embedding model').waitFor()
    expect(await reader.page.getByRole('textbox').count()).toBe(0)
    await reader.open('/gpts/1')
    await reader.page.getByRole('heading', { name: 'There is no such GPT', level: 1 }).waitFor()
    await reader.open('/gpts/new')
    await reader.page.getByRole('heading', { name: 'There is no such GPT', level: 1 }).waitFor()
    expect(reader.faults).toEqual([])
    await reader.context.close()
  })

  it('searches by name, without accents and case, and in pages that are not shown yet', async () => {
    await session.contexts.create({ name: 'Crème brûlée', description: '', caption: '', toolsJson: '[]' })
    await owner.open('/gpts')
    const card = page.getByRole('listitem').filter({ hasText: 'Handbook' })
    expect(await card.innerText()).toContain('3 starter prompts')
    await picture(page, 'console-gpts')
    const search = page.getByRole('searchbox', { name: 'Search by name' })
    await search.fill('CREME')
    await page.getByText('1 found').waitFor()
    expect(await page.getByRole('main').getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('Crème brûlée'),
    ])
    for (let ship = 1; ship <= 120; ship += 1) {
      const texts = { name: `Ship ${ship}`, description: '', caption: '', toolsJson: '[]', starterPrompts: [] }
      await session.contexts.create(texts)
    }
    await page.reload()
    const cards = page.getByRole('main').getByRole('listitem')
    await page.getByRole('button', { name: 'Show more' }).waitFor()
    expect(await cards.count()).toBe(60)
    await search.fill('ship 120')
    await page.getByText('1 found', { exact: true }).waitFor()
    await cards.getByRole('link', { name: 'Ship 120' }).waitFor()
    await search.fill('nothing')
    await page.getByRole('heading', { name: 'No GPT has such a name' }).waitFor()
  })

  it('sends only changed settings, and says at the field what is not allowed', async () => {
    await owner.open('/gpts/1/settings')
    const results = page.getByRole('textbox', { name: 'Results of a search' })
    await results.fill('500')
    await results.press('Enter')
    await expectFocus(results)
    await expectSentence(results, 'This value is not allowed.')
    await results.fill('3')
    await page.getByText('Words only', { exact: true }).click()
    const sent = sentTo(page, '**/context/settings/1')
    await saveSettings(page)
    expect(await sent).toEqual({ topN: 3, searchMode: 'keyword' })
    await page.getByText('The settings are saved.').waitFor()
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('offers the embedding models of the server, local and remote, and says at the field why one is refused', async () => {
    await page.route('**/operator/state', async (route) => {
      const state = (await (await route.fetch()).json()) as { readonly models: readonly object[] }
      const remote = { ...state.models[0], id: 'gpt', kind: 'remote', isDefault: false, isAvailable: false }
      await route.fulfill({ json: { ...state, models: [...state.models, remote] } })
    })
    await owner.open('/gpts/1/settings')
    const model = page.getByRole('button', { name: /Embedding model$/ })
    await model.click()
    await page.getByRole('option', { name: 'gpt' }).waitFor()
    expect(await page.getByRole('option').allInnerTexts()).toEqual([
      'all-MiniLM-L6-v2\nThe default of new GPTs. Runs on this server.',
      'gpt\nRuns on another server. It does not answer now.',
    ])
    await page.getByRole('option', { name: 'gpt' }).click()
    expect(await seriousViolations(page)).toEqual([])
    await saveSettings(page)
    await expectFocus(model)
    await expectSentence(model, 'No model named gpt; known: all-MiniLM-L6-v2')
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('takes the name of an embedding model from a user who may not see the list', async () => {
    await page.route('**/operator/state', async (route) => await route.fulfill({ status: 403, json: {} }))
    await owner.open('/gpts/1/settings')
    const model = page.getByRole('textbox', { name: 'Embedding model' })
    await model.fill('gpt')
    await saveSettings(page)
    await expectFocus(model)
    await expectSentence(model, 'No model named gpt; known: all-MiniLM-L6-v2')
    await model.fill('all-MiniLM-L6-v2')
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('warns before a re-index, shows its progress, cancels it, and says its end', async () => {
    const content = Buffer.from(LAMPS)
    await session.documents.whenProcessed(await session.documents.upload(1, { fileName: 'lamps.txt', content }))
    await owner.open('/gpts/1/settings')
    const size = page.getByRole('textbox', { name: 'Chunk size in tokens' })
    const overlap = page.getByRole('textbox', { name: 'Overlap in percent' })
    await size.fill('16')
    await overlap.fill('90')
    await saveSettings(page)
    const warning = page.getByRole('alertdialog', { name: 'Prepare all documents again?' })
    expect(await warning.innerText()).toContain('Searches go on with the present settings')
    await warning.getByRole('button', { name: 'Save and prepare again' }).click()
    const progress = page.getByRole('progressbar', { name: '0 of 1 documents are ready' })
    await progress.waitFor()
    await page.getByText('Chunk size in tokens: 1,000 becomes 16').waitFor()
    await picture(page, 'console-gpts-settings')
    await page.getByRole('button', { name: 'Cancel the change' }).click()
    const question = page.getByRole('alertdialog', { name: 'Cancel the change?' })
    await question.getByRole('button', { name: 'Cancel the change' }).click()
    await progress.waitFor({ state: 'detached' })
    expect(await session.contexts.settings(1)).toMatchObject({ chunkSizeTokens: 1_000, reindexing: null })
    expect(await size.inputValue()).toBe('1000')
    await size.fill('500')
    await saveSettings(page)
    await warning.getByRole('button', { name: 'Save and prepare again' }).click()
    await page.getByText('All documents are ready. The new settings apply.').waitFor()
    expect(await session.contexts.settings(1)).toMatchObject({ chunkSizeTokens: 500, overlap: 0.2 })
  })

  it('shows why a re-index has stopped, and tries it again with the same settings', async () => {
    const wanted = { embeddingModel: 'all-MiniLM-L6-v2', chunkSizeTokens: 300, overlap: 0.2 }
    const error = 'the document 7 "a.pdf" cannot be read (ERR_NO_TEXT)'
    const stopped = {
      ...wanted,
      documentsDone: 1,
      documentsTotal: 3,
      waiting: null,
      waitingCode: null,
      error,
      errorCode: 'ERR_NO_TEXT',
    }
    const sent: unknown[] = []
    // No document can be read at first, and not later: the answers of the server are made up.
    await page.route('**/context/settings/1', async (route) => {
      if (route.request().method() === 'PUT') sent.push(route.request().postDataJSON())
      const settings = await session.contexts.settings(1)
      const reindexing = sent.length === 0 ? stopped : { ...stopped, error: null, errorCode: null }
      await route.fulfill({ json: { ...settings, reindexing } })
    })
    await owner.open('/gpts/1/settings')
    await page.getByText('The file has no text that can be read. Run text recognition (OCR) over a scan').waitFor()
    await page.getByText('The document 7 "a.pdf" cannot be read.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'The documents are prepared again' }).waitFor()
    await page.getByRole('progressbar', { name: '1 of 3 documents are ready' }).waitFor()
    expect(sent).toEqual([wanted])
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('hands a GPT over to another user, and deletes one after it says what is lost', async () => {
    await owner.open('/gpts/2/settings')
    const address = page.getByRole('textbox', { name: 'E-mail address of the user' })
    await address.fill('nobody@example.com')
    await page.getByRole('button', { name: 'Hand over …' }).click()
    await page.getByText('No user of this company has this address.').waitFor()
    await address.fill(READER.email)
    await page.getByRole('button', { name: 'Hand over …' }).click()
    const question = page.getByRole('alertdialog', { name: /^(Hand|Delete) / })
    expect(await question.innerText()).toContain(`Hand "${MARKUP}" over to Rita Reader (${READER.email})?`)
    await question.getByRole('button', { name: 'Hand over', exact: true }).click()
    await page.waitForURL(/\/gpts$/)
    await page.getByRole('region', { name: 'Shared with you' }).getByRole('link', { name: MARKUP }).click()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Delete this GPT …' }).click()
    expect(await question.innerText()).toContain('the other users of the account lose it too')
    await question.getByRole('button', { name: 'Delete for good' }).press('Enter')
    await page.waitForURL(/\/gpts$/)
    await page.getByRole('link', { name: 'Handbook' }).waitFor()
    expect(await page.getByRole('main').getByText(MARKUP).count()).toBe(0)
    expect((await session.contexts.list()).map(({ id }) => id)).not.toContain(2)
  })

  it('has nothing serious for axe in both themes, and no sideways scroll at 360 px, in German', async () => {
    const small = await test.openPage({ language: 'de', width: 360 })
    await small.open('/gpts')
    await small.logIn()
    const headings = { '/gpts': 'Deine GPTs', '/gpts/1/edit': 'Werkzeuge', '/gpts/1/settings': 'Wie es sucht' }
    for (const [path, heading] of Object.entries(headings)) {
      await small.open(path)
      await small.page.getByRole('heading', { name: heading }).waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await small.page.emulateMedia({ colorScheme })
        expect(await seriousViolations(small.page)).toEqual([])
      }
      expect(await sidewaysScrolls(small.page)).toEqual([])
      await picture(small.page, `gpts-small${path.replaceAll('/', '-')}`)
    }
    expect(small.faults).toEqual([])
    expect(owner.faults).toEqual([])
    await small.context.close()
  })
})

/** A user whose role reads and searches contexts, and nothing else. */
async function addReader({ engine }: ConsoleTest): Promise<void> {
  const { administration } = engine
  const { id } = await administration.users.add({ email: READER.email, name: 'Rita Reader', companyId: 1 })
  await administration.users.completeSetup(id, READER.password)
  const roles = await administration.roles.list()
  const accounts = await administration.accounts.list()
  const { permissions } = await engine.as(engine.owner).users.get(id)
  for (const permission of permissions) await administration.permissions.revoke(permission.id)
  await administration.permissions.grant({
    userIdentityId: id,
    appAccountId: accounts.find(({ application }) => application === 'assistant')?.id ?? 0,
    appRoleId: roles.find(({ name }) => name === 'Reader')?.id ?? 0,
  })
}

async function addTool(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add a tool' }).click()
  await page.locator('input:focus').waitFor()
  await page.keyboard.type('book_room')
  await page.getByRole('textbox', { name: 'Number of the agent' }).fill('7')
  await page
    .getByRole('group', { name: /^Tool 1/ })
    .getByRole('textbox', { name: 'Description' })
    .fill('Books a room.')
  await page.getByRole('button', { name: 'Add a parameter' }).click()
  await page.locator('input:focus').waitFor()
  await page.keyboard.type('seats')
  const parameter = page.getByRole('group', { name: 'Parameter 1' })
  await parameter.getByRole('button', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Whole number (integer)' }).click()
  await parameter.getByRole('textbox', { name: 'Description' }).fill('Number of seats')
  // The number is taken when its field loses the focus, in the moment in which the box changes.
  await page.getByRole('textbox', { name: 'Number of the agent' }).fill('7')
  await parameter.getByText('The model must give a value').click()
}

async function promptsOf(page: Page): Promise<string[]> {
  const fields = await page.getByRole('textbox', { name: /^Starter prompt/ }).all()
  return await Promise.all(fields.map(async (field) => await field.inputValue()))
}

async function saveSettings(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save the settings' }).click()
}

/** The body of the next PUT to an address. */
async function sentTo(page: Page, address: string): Promise<unknown> {
  return await new Promise((resolve) => {
    const read = async (route: Route): Promise<void> => {
      if (route.request().method() === 'PUT') resolve(route.request().postDataJSON())
      await route.continue()
    }
    void page.route(address, read)
  })
}

/** The sentences that a screen reader says about a field: its hint and its error. */
async function sentencesOf(field: Locator): Promise<string> {
  const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? []
  const texts = await Promise.all(ids.map(async (id) => await field.page().locator(`[id="${id}"]`).allInnerTexts()))
  return texts.flat().join(' ')
}

async function expectSentence(field: Locator, sentence: string): Promise<void> {
  await expect.poll(async () => await sentencesOf(field), { timeout: 5_000 }).toContain(sentence)
}

async function expectFocus(field: Locator): Promise<void> {
  await field.and(field.page().locator(':focus')).waitFor({ timeout: 5_000 })
}
