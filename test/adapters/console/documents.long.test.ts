import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Document, Session } from '../../../src/index.js'
import { temporaryFolder } from '../../temporary-folder.js'
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

/** It begins as a zip does, so it is refused only when it is read. */
const BROKEN_ZIP = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), Buffer.alloc(200, 1)])
const MARKUP = '<img src=x onerror=alert(1)>'
const LEAVE = 'Parental leave lasts fourteen months for both parents together.'

describe.skipIf(MISSING_BROWSER !== undefined)('the documents of a GPT in the console', () => {
  let test: ConsoleTest
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let shown: ConsolePage
  let page: Page
  let lostConnections = 0

  const session = (): Session => test.engine.as(test.engine.owner)
  const fileOf = async (name: string, content: string): Promise<string> => {
    const path = join(folder.path, name)
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, content)
    return path
  }
  const contextOf = async (
    name: string,
    settings: { readonly chunkSizeTokens?: number; readonly maxSizeBytes?: number } = {},
  ): Promise<number> => {
    const input = { name, description: 'Answer from the documents.', caption: 'HR', toolsJson: '[]', settings }
    return (await session().contexts.create(input)).id
  }
  const documentOf = async (contextId: number, fileName: string, content: string): Promise<Document> => {
    const uuid = await session().documents.upload(contextId, { fileName, content, metadata: { note: MARKUP } })
    return await session().documents.whenProcessed(uuid)
  }
  const documentNamed = async (contextId: number, name: string): Promise<Document> => {
    const found = (await session().documents.list(contextId)).find(({ originalName }) => originalName === name)
    if (found === undefined) throw new Error(`there is no document ${name}`)
    return found
  }
  const row = (name: string): ReturnType<Page['getByRole']> => page.getByRole('row').filter({ hasText: name })

  beforeAll(async () => {
    folder = await temporaryFolder()
    test = await openConsoleTest()
    shown = await test.openPage()
    page = shown.page
    await shown.logIn()
  })

  afterAll(async () => {
    await test.close()
    await folder.remove()
  })

  it('teaches what documents are for, takes a file by keyboard, and shows it once it is completed', async () => {
    const contextId = await contextOf('Handbook')
    await shown.open(`/gpts/${contextId}/documents`)
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
    const dialog = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).press('Enter')
    await (await dialog).setFiles(await fileOf('leave.txt', LEAVE))
    await row('leave.txt').getByText('Completed').waitFor()
    await page.getByText('1 of 1 done.').waitFor()
    expect(await row('leave.txt').innerText()).toContain('63 byte')
    await page.getByRole('button', { name: 'Clear the list' }).click()
    expect(await page.getByRole('heading', { name: 'Uploads' }).count()).toBe(0)
  })

  it('takes dropped files and folders, and says in a sentence why a file is refused', async () => {
    const contextId = await contextOf('Dropped')
    await fileOf('drop/reports/2026/rent.txt', `${MARKUP} The rent rises by two percent.`)
    await fileOf('drop/reports/.hidden.txt', 'Nobody wants this.')
    const files = [
      join(folder.path, 'drop/reports'),
      await fileOf(`drop/${MARKUP}.txt`, `${MARKUP} is only a text.`),
      await fileOf('drop/program.exe', 'MZ'),
    ]
    await shown.open(`/gpts/${contextId}/documents`)
    await drop(files)
    await page.getByText('2 of 3 done, 1 failed.').waitFor()
    await page.getByText('One hidden file was left out.').waitFor()
    await page.getByText('2 completed', { exact: true }).waitFor()
    await page.getByText('Files of this kind cannot be read. Save the text as one of these: .txt .md .pdf').waitFor()
    await row('rent.txt').getByText('folder: reports/2026').waitFor()
    const { displayName } = await documentNamed(contextId, `${MARKUP}.txt`)
    await row(displayName).getByText('Completed').waitFor()
    await picture(page, 'console-documents')
    await page.getByRole('button', { name: 'Remove program.exe from this list' }).click()
    await page.getByText('2 of 2 done.').waitFor()
  })

  it('finds documents by name and state, deletes with time to undo, and at once when the user leaves', async () => {
    const contextId = await contextOf('Deletions')
    for (const name of ['one.txt', 'two.txt', 'three.txt']) await documentOf(contextId, name, `${LEAVE} ${name}`)
    const names = async (): Promise<readonly string[]> =>
      (await session().documents.list(contextId)).map(({ displayName }) => displayName)
    await shown.open(`/gpts/${contextId}/documents`)
    await page.getByText('3 documents').waitFor()
    await page.getByRole('searchbox', { name: 'Find by name' }).fill('TWO')
    await page.getByText('1 document passes the filters').waitFor()
    expect(await row('.txt').count()).toBe(1)
    await page.getByRole('button', { name: 'State' }).click()
    await page.getByRole('option', { name: 'Failed' }).click()
    await page.getByRole('heading', { name: 'No document with “TWO” in its name is in the state “Failed”' }).waitFor()
    await page.getByRole('searchbox', { name: 'Find by name' }).fill('')
    await page.getByRole('heading', { name: 'No document is in the state “Failed”' }).waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByText('3 documents').waitFor()
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Documents')
    expect(new URL(page.url()).search).toBe('')

    await page.getByRole('checkbox', { name: 'Select one.txt' }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('checkbox', { name: 'Select two.txt' }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Delete' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('2 documents are deleted.').waitFor()
    expect(await row('.txt').count()).toBe(1)
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Documents')
    await page.getByRole('button', { name: 'Undo' }).click()
    await row('two.txt').waitFor()
    expect(await names()).toEqual(['one.txt', 'two.txt', 'three.txt'])

    await page.getByRole('checkbox', { name: 'Select one.txt' }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('“one.txt” is deleted.').waitFor()
    expect(await names()).toEqual(['one.txt', 'two.txt', 'three.txt'])
    await page.getByRole('button', { name: 'Close' }).click()
    await expect.poll(names).toEqual(['two.txt', 'three.txt'])

    await page.getByRole('link', { name: 'two.txt' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('“two.txt” is deleted.').waitFor()
    await page.goto('about:blank')
    await expect.poll(names).toEqual(['three.txt'])
  })

  it('asks the server for the documents of the filters in the address, the newest first, and follows them', async () => {
    const contextId = await contextOf('Filtered')
    for (const name of ['good-1.txt', 'good-2.txt']) await documentOf(contextId, name, `${LEAVE} ${name}`)
    const fail = async (fileName: string): Promise<string> => {
      const content = Buffer.concat([BROKEN_ZIP, Buffer.from(fileName)])
      const uuid = await session().documents.upload(contextId, { fileName, content })
      await expect(session().documents.whenProcessed(uuid)).rejects.toThrow('ERR_CORRUPT_FILE')
      return uuid
    }
    const first = await fail('bad-1.docx')
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (pathname.endsWith(`/context/documents/${contextId}`)) asked.push(search)
    })
    const links = async (): Promise<readonly string[]> =>
      await page.getByRole('table').getByRole('link').allInnerTexts()
    await shown.open(`/gpts/${contextId}/documents`)
    await page.getByText('3 documents').waitFor()
    expect(await links()).toEqual(['bad-1.docx', 'good-2.txt', 'good-1.txt'])
    await shown.open(`/gpts/${contextId}/documents?state=failed&name=BAD`)
    await page.getByText('1 document passes the filters').waitFor()
    expect(await page.getByRole('searchbox', { name: 'Find by name' }).inputValue()).toBe('BAD')
    expect(await links()).toEqual(['bad-1.docx'])
    expect(asked.some((query) => query.includes('name=BAD&status=failed&order=newest'))).toBe(true)

    await fail('bad-2.docx')
    await page.getByText('2 documents pass the filters').waitFor()
    expect(await links()).toEqual(['bad-2.docx', 'bad-1.docx'])
    await documentOf(contextId, 'bad-3.txt', `${LEAVE} It is not bad.`)
    await session().documents.delete(first)
    await page.getByText('1 document passes the filters').waitFor()
    expect(await links()).toEqual(['bad-2.docx'])
    await page.getByRole('link', { name: 'bad-2.docx' }).click()
    await page.getByRole('heading', { name: 'bad-2.docx' }).waitFor()
    await page.goBack()
    await page.getByText('1 document passes the filters').waitFor()
    await page.getByRole('link', { name: 'bad-2.docx' }).click()
    await page.getByRole('heading', { name: 'bad-2.docx' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'All documents' }).click()
    await page.getByText('1 document passes the filters').waitFor()
    expect(new URL(page.url()).search).toBe('?state=failed&name=BAD')
    await shown.open(`/gpts/${contextId}/documents?state=nonsense`)
    await page.getByText('4 documents').waitFor()
  })

  it('shows the stages of a document, what was read, the chunks of the text, and the place of a link', async () => {
    const contextId = await contextOf('Details', { chunkSizeTokens: 64 })
    // Long enough for some seconds with the model.
    const text = Array.from({ length: 3_000 }, (_, index) => `# Part ${index + 1}\n\n${LEAVE} ${MARKUP}\n\n`).join('')
    await shown.open(`/gpts/${contextId}/documents`)
    const dialog = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).click()
    // The state lasts for seconds alone, so the wait begins before the upload.
    const isSearchableSoon = page.getByText(/^Received. Making it searchable: \d+%$/).waitFor()
    await (await dialog).setFiles(await fileOf(`${MARKUP}.md`, text))
    await isSearchableSoon
    await page.getByText('1 of 1 done.').waitFor({ timeout: 90_000 })
    const { id, displayName } = await documentNamed(contextId, `${MARKUP}.md`)
    const document = { contextId, id }
    const all = await session().documents.chunks(document)
    const linked = all[50]
    if (linked === undefined) throw new Error('too few chunks')
    const from = linked.start + linked.content.indexOf('fourteen')
    await shown.open(`/gpts/${contextId}/documents/${id}?chunk=${linked.id}&from=${from}&to=${from + 8}`)
    await page.getByRole('heading', { level: 2, name: displayName }).waitFor()
    const chunk = page.getByRole('article').filter({ hasText: 'the link leads here' })
    await chunk.getByRole('heading', { name: 'Chunk 51' }).waitFor()
    expect(await chunk.innerText()).toContain(linked.headings.join(' › '))
    expect(await page.locator('mark').allInnerTexts()).toEqual(['fourteen'])
    await expect.poll(async () => await page.evaluate('document.activeElement.tagName')).toBe('ARTICLE')
    await page.getByRole('button', { name: 'Show more chunks' }).click()
    await page.getByRole('heading', { name: 'Chunk 72' }).waitFor()
    await page.getByRole('button', { name: 'Show earlier chunks' }).click()
    await page.getByRole('heading', { name: 'Chunk 40' }).waitFor()
    // Chunk after chunk, it is the text again.
    const texts = await page.locator('.docs-chunk-text').allTextContents()
    const whole = await session().documents.text(document)
    expect(texts.length).toBeGreaterThan(50)
    expect(whole.replaceAll(/\s+/g, '')).toContain(texts.join('').replaceAll(/\s+/g, ''))
    await page.getByRole('textbox', { name: /^Go to chunk/ }).fill('1')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Chunk 1', exact: true }).waitFor()
    const receipt = page.locator('section').filter({ has: page.getByRole('heading', { name: 'What was read' }) })
    expect(await receipt.innerText()).toMatch(/Compute the vectors/)
    await page.evaluate('scrollTo(0, 0)')
    await picture(page, 'console-document')
    await page.getByRole('heading', { name: 'Text in chunks' }).scrollIntoViewIfNeeded()
    await page.evaluate('scrollBy(0, 500)')
    await picture(page, 'console-document-chunks')
    await shown.open(`/gpts/${contextId}/documents/${id}?chunk=999999&from=${from}&to=${from + 8}`)
    await page.getByText('The chunk of the link does not exist any more').waitFor()
    expect(await page.locator('mark').first().innerText()).toBe('fourteen')
  })

  it('edits the name and metadata, replaces the document, and downloads what was uploaded', async () => {
    const contextId = await contextOf('Changes')
    const { id } = await documentOf(contextId, 'old.txt', LEAVE)
    await shown.open(`/gpts/${contextId}/documents/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const name = page.getByRole('textbox', { name: 'Name' })
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await name.fill('Lost')
    for (const close of [
      async () => await page.keyboard.press('Escape'),
      async () => await page.mouse.click(5, 5),
      async () => await page.getByRole('button', { name: 'Close this window' }).click(),
      async () => await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click(),
    ]) {
      await close()
      await question.getByRole('button', { name: 'Cancel' }).click()
      await question.waitFor({ state: 'hidden' })
      expect(await name.inputValue()).toBe('Lost')
    }
    await page.keyboard.press('Escape')
    await question.getByRole('button', { name: 'Leave and lose the changes' }).click()
    await name.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Edit' }).click()
    expect(await name.inputValue()).toBe('old.txt')
    await page.keyboard.press('Escape')
    await name.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Edit' }).click()
    await name.fill(MARKUP)
    await page.getByRole('button', { name: 'Add a value' }).click()
    await page.getByRole('textbox', { name: 'Field' }).last().fill('year')
    await page.getByRole('button', { name: 'Kind' }).last().click()
    await page.getByRole('option', { name: 'Number' }).click()
    await page.getByRole('textbox', { name: 'Value' }).last().fill('soon')
    await page.getByText('Write a number, such as 2026.').waitFor()
    await page.getByRole('textbox', { name: 'Value' }).last().fill('2026')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('year: 2026').waitFor()
    const changed = await session().documents.get({ contextId, id })
    expect(changed.metadata).toEqual({ note: MARKUP, year: 2026 })
    await page.getByRole('heading', { level: 2, name: changed.displayName }).waitFor()
    await page.getByText(/, by you$/).waitFor()

    const dialog = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Replace by a new version' }).click()
    await (await dialog).setFiles(await fileOf('new.txt', `${LEAVE} This is new.`))
    const replacing = page.getByRole('alertdialog', { name: 'Replace old.txt by new.txt?' })
    await replacing.getByRole('button', { name: 'Cancel' }).click()
    await replacing.waitFor({ state: 'hidden' })
    expect((await session().documents.get({ contextId, id })).replacement).toBeNull()
    const sameName = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Replace by a new version' }).click()
    await (await sameName).setFiles(await fileOf('again/old.txt', `${LEAVE} This is newer.`))
    await page.getByText('This is newer.').waitFor()
    const otherName = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Replace by a new version' }).click()
    await (await otherName).setFiles(await fileOf('new.txt', `${LEAVE} This is new.`))
    await replacing.getByRole('button', { name: 'Replace' }).click()
    await page.getByText('This is new.').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download', exact: true }).click()
    expect(await readFile(await (await download).path(), 'utf8')).toBe(`${LEAVE} This is new.`)
  })

  it('sends an upload again by itself when the server was restarted in the middle of it', async () => {
    const contextId = await contextOf('Restart')
    await shown.open(`/gpts/${contextId}/documents`)
    const browser = await slowNetwork(page, 100_000)
    const dialog = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).click()
    // White space costs the model no time.
    await (await dialog).setFiles(await fileOf('large.txt', `${LEAVE}${' '.repeat(4_000_000)}`))
    await page.getByText(/Sending: [1-9]/).waitFor()
    await test.stop()
    await page.getByText('The server does not answer now. The upload goes on by itself once it does.').waitFor()
    await fastNetwork(browser)
    await test.start()
    await page.getByText('1 of 1 done.').waitFor()
    await row('large.txt').getByText('Completed').waitFor()
    expect(await session().documents.list(contextId)).toHaveLength(1)
    // The browser tells of the connections that it lost.
    lostConnections = shown.faults.filter((fault) => fault.includes('net::ERR_')).length
  })

  it('asks for the documents again and again where no stream of states comes', async () => {
    const contextId = await contextOf('Polling')
    const events = `**/context/documents/${contextId}/events?*`
    await page.route(events, async (route) => await route.fulfill({ contentType: 'text/html', body: 'a proxy' }))
    await shown.open(`/gpts/${contextId}/documents`)
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
    await documentOf(contextId, 'other.txt', LEAVE)
    await row('other.txt').getByText('Completed').waitFor()
    await page.unroute(events)
  })

  it('says why the server refuses a large file, although it is not sent whole', async () => {
    const contextId = await contextOf('Small', { maxSizeBytes: 1_000 })
    await shown.open(`/gpts/${contextId}/documents`)
    const dialog = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).click()
    await (await dialog).setFiles(await fileOf('huge.txt', LEAVE.repeat(100_000)))
    await page.getByText('0 of 1 done, 1 failed.').waitFor()
    await page.getByText('The file does not fit').waitFor()
  })

  it('shows the progress of an upload on a slow network, and cancels it', async () => {
    const contextId = await contextOf('Slow')
    await shown.open(`/gpts/${contextId}/documents`)
    const browser = await slowNetwork(page, 60_000)
    const dialog = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).click()
    const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt']
    await (await dialog).setFiles(
      await Promise.all(names.map(async (name) => await fileOf(name, LEAVE.repeat(20_000)))),
    )
    const bars = page.getByRole('progressbar')
    await expect.poll(async () => Number(await bars.first().getAttribute('aria-valuenow'))).toBeGreaterThan(0)
    expect(await bars.count()).toBe(3)
    expect(await page.getByText('Waits for its turn').count()).toBe(2)
    await picture(page, 'console-documents-uploads')
    // The header of every page leads back to them.
    await page.getByRole('link', { name: 'Try a search' }).first().click()
    await page.getByRole('heading', { name: 'Try a search', level: 1 }).waitFor()
    expect(await page.getByRole('banner').getByRole('status').innerText()).toBe('Files are being uploaded.')
    expect(await seriousViolations(page)).toEqual([])
    const uploading = page.getByRole('link', { name: /Uploading 5 files: to their GPT/ })
    await uploading.click()
    await page.getByRole('button', { name: 'Cancel all' }).click()
    await uploading.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'No documents yet' }).waitFor()
    await fastNetwork(browser)
    expect(await session().documents.list(contextId)).toEqual([])
  })

  it('scrolls through 10,000 documents, of which only a few are in the page', async () => {
    const contextId = await contextOf('Many')
    const model = await documentOf(await contextOf('Model'), 'model.txt', LEAVE)
    await page.route(`**/context/documents/${contextId}?*`, async (route) => {
      const query = new URL(route.request().url()).searchParams
      const after = Number(query.get('after'))
      const first = after === 0 ? 10_000 : after - 1
      const ids = Array.from({ length: Math.min(Number(query.get('limit')), first) }, (_, index) => first - index)
      await route.fulfill({ json: ids.map((id) => ({ ...model, contextId, id, displayName: `file-${id}.txt` })) })
    })
    await shown.open(`/gpts/${contextId}/documents`)
    await page.getByText('10,000 documents').waitFor()
    // The count of the table follows the text.
    await expect.poll(async () => await page.getByRole('table').getAttribute('aria-rowcount')).toBe('10001')
    await row('file-10000.txt').waitFor()
    await page.mouse.move(400, 600)
    await page.mouse.wheel(0, 300_000)
    await expect.poll(async () => await firstRow(page)).toBeGreaterThan(4_000)
    expect(await page.getByRole('row').count()).toBeLessThan(80)

    await page.keyboard.press('Home')
    const times = await frameTimesOf(page, async () => {
      // In a fixed time, however slow the machine is. Each step is half a screen, so many rows are other ones.
      await page.evaluate(`new Promise((resolve) => {
        const end = performance.now() + 3_000
        const step = () => {
          window.scrollBy(0, 400)
          if (performance.now() < end) requestAnimationFrame(step)
          else resolve()
        }
        step()
      })`)
    })
    await expect.poll(async () => await firstRow(page)).toBeGreaterThan(50)
    console.info(`scrolling 10,000 documents: ${JSON.stringify(times)}`)
    // The processor's time hardly depends on what else the machine does. The other limits are wide, for a busy one.
    expect(times.cpuMsPerFrame).toBeLessThan(100)
    expect(times.medianMs).toBeLessThan(300)
    expect(times.p95Ms).toBeLessThan(1_500)
    expect(times.longestTaskMs).toBeLessThan(3_000)
    await page.keyboard.press('End')
    await row('file-1.txt').waitFor({ timeout: 10_000 })
    expect(await row('file-1.txt').getAttribute('aria-rowindex')).toBe('10001')
    await page.unroute(`**/context/documents/${contextId}?*`)

    // No browser can send so many deletions after it has left, so it asks.
    let sent = 0
    await page.route(`**/context/documents/${contextId}/*`, async (route) => {
      if (route.request().method() !== 'DELETE') {
        await route.continue()
        return
      }
      sent += 1
      await new Promise((resolve) => setTimeout(resolve, 200))
      await route.fulfill({ status: 204 }).catch(() => undefined)
    })
    await page.keyboard.press('Home')
    await page.getByRole('checkbox', { name: 'Select all that are listed' }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('10000 documents are deleted.').waitFor()
    const question = page.waitForEvent('dialog')
    const left = page.goto('about:blank')
    const dialog = await question
    expect(dialog.type()).toBe('beforeunload')
    await dialog.accept()
    await left
    expect(sent).toBeGreaterThan(0)
    expect(sent).toBeLessThan(20)
    await page.unroute(`**/context/documents/${contextId}/*`)
  })

  it('keeps a file that is deleted and uploaded again before the deletion is sent', async () => {
    const contextId = await contextOf('Again')
    const { id } = await documentOf(contextId, 'again.txt', LEAVE)
    await documentOf(contextId, 'other.txt', `${LEAVE} It is another one.`)
    await shown.open(`/gpts/${contextId}/documents`)
    await deleteListed('other.txt')
    await deleteListed('again.txt')
    await upload([await fileOf('again.txt', LEAVE)])
    await page.getByText('1 of 1 done.').waitFor()
    await row('again.txt').getByText('Completed').waitFor()
    expect(await page.getByText('“again.txt” is deleted.').count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await row('other.txt').waitFor()
    const documents = await session().documents.list(contextId)
    expect(documents.map(({ displayName }) => displayName).sort()).toEqual(['again.txt', 'other.txt'])
    expect(documents.map((document) => document.id)).not.toContain(id)
  })

  it('sends nothing of a user in the name of the next one in the same tab', async () => {
    const contextId = await contextOf('Two users')
    const names = async (): Promise<readonly string[]> =>
      (await session().documents.list(contextId)).map(({ displayName }) => displayName)
    for (const name of ['one.txt', 'two.txt', 'three.txt']) await documentOf(contextId, name, `${LEAVE} ${name}`)
    const sent: string[] = []
    page.on('request', (request) => {
      const isAbout = request.url().includes(`/context/documents/${contextId}`)
      if (isAbout) sent.push(`${request.method()} ${request.url()}`)
    })
    const large = await Promise.all(
      ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map(async (name) => await fileOf(`next/${name}`, LEAVE.repeat(3_000))),
    )
    // The login ends while files are sent. The next user then has a fast network.
    const endWork = async (deleted: string, end: () => Promise<void>): Promise<void> => {
      await shown.open(`/gpts/${contextId}/documents`)
      await deleteListed(deleted)
      const browser = await slowNetwork(page, 60_000)
      await upload(large)
      await page.getByRole('progressbar').first().waitFor()
      expect(await names()).toContain(deleted)
      await end()
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      await fastNetwork(browser)
      sent.length = 0
    }
    const signOut = async (): Promise<void> => await page.getByRole('button', { name: 'Sign out' }).click()
    const signOutAnyway = async (): Promise<void> => {
      const question = page.getByRole('alertdialog', { name: 'Sign out now?' })
      await signOut()
      await question.getByText('4 files are not sent yet. If you sign out, their uploads are cancelled.').waitFor()
      await question.getByText('One deleted document can still be restored. If you sign out').waitFor()
      expect(await seriousViolations(page)).toEqual([])
      await page.keyboard.press('Escape')
      await question.waitFor({ state: 'hidden' })
      expect(await page.getByRole('progressbar').count()).toBeGreaterThan(0)
      await signOut()
      await question.getByRole('button', { name: 'Sign out' }).click()
    }
    const expectNothing = async (): Promise<void> => {
      await page.waitForTimeout(500)
      expect(sent).toEqual([])
      expect(await page.getByText(/is deleted/).count()).toBe(0)
    }
    await endWork('one.txt', signOutAnyway)
    // The server deletes before the sign-out what the user has deleted.
    expect(await names()).toEqual(['two.txt', 'three.txt'])
    await shown.logIn(await readerOf('next'))
    await expectNothing()
    await signOut()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await shown.logIn()

    await endWork('two.txt', async () => {
      await shown.context.clearCookies()
      await page.getByRole('link', { name: 'My GPTs' }).click()
      await page.getByText('4 files were not sent yet, and their uploads are cancelled.').waitFor()
    })
    await shown.logIn()
    await expectNothing()
    // Nobody may delete any more once the login is gone.
    expect(await names()).toEqual(['two.txt', 'three.txt'])
  })

  it('says how many uploads are cancelled once somebody else has signed in in another tab', async () => {
    const contextId = await contextOf('Handed over')
    const other = await test.openPage()
    await other.logIn()
    await other.open(`/gpts/${contextId}/documents`)
    const large = await Promise.all(
      ['e.txt', 'f.txt'].map(async (name) => await fileOf(`other/${name}`, LEAVE.repeat(3_000))),
    )
    const browser = await slowNetwork(other.page, 60_000)
    await other.page.locator('input[type=file]').first().setInputFiles(large)
    await other.page.getByRole('progressbar').first().waitFor()
    const data = await readerOf('successor')
    expect((await other.context.request.post(`${test.address}/auth/login`, { data })).status()).toBe(200)
    await other.page.evaluate("window.dispatchEvent(new Event('focus'))")
    await other.page.getByText('2 files were not sent yet, and their uploads are cancelled.').waitFor()
    expect(await other.page.locator('.frame-name').innerText()).toContain('successor@example.com')
    expect(await seriousViolations(other.page)).toEqual([])
    await fastNetwork(browser)
    await other.page.waitForTimeout(500)
    expect(await session().documents.list(contextId)).toEqual([])
    await other.context.close()
  })

  it('tells a failed document why, and has it processed again', async () => {
    const contextId = await contextOf('Failures')
    const uuid = await session().documents.upload(contextId, { fileName: 'broken.docx', content: BROKEN_ZIP })
    await session()
      .documents.whenProcessed(uuid)
      .catch(() => undefined)
    await shown.open(`/gpts/${contextId}/documents`)
    await row('broken.docx').getByText('Failed').waitFor()
    await row('broken.docx').getByText('The file is damaged and cannot be read. Save it again').waitFor()
    expect(await row('broken.docx').innerText()).not.toContain('ERR_')
    await page.getByRole('button', { name: 'Try again: broken.docx' }).click()
    await page.getByText('1 of 1 done, 1 failed.').or(page.getByText('0 of 1 done, 1 failed.')).waitFor()
    const actions = (await session().audit.list({ limit: 20 })).items.map(({ action }) => action)
    expect(actions).toContain('document.retried')
  })

  it('shows documents to a user who may only read, without what changes them', async () => {
    const contextId = await contextOf('Shared')
    await session().contexts.share(contextId, { shareState: 1 })
    const { id: docId } = await documentOf(contextId, 'shared.txt', LEAVE)
    const other = await test.openPage()
    await other.logIn(await readerOf('reader'))
    await other.open(`/gpts/${contextId}/documents`)
    await other.page.getByRole('link', { name: 'shared.txt' }).waitFor()
    expect(await other.page.getByRole('button', { name: 'Choose files' }).count()).toBe(0)
    expect(await other.page.getByRole('checkbox').count()).toBe(0)
    await other.open(`/gpts/${contextId}/documents/${docId}`)
    await other.page.getByRole('button', { name: 'Download', exact: true }).waitFor()
    expect(await other.page.getByRole('button', { name: /Edit|Delete|Replace/ }).count()).toBe(0)
    expect(other.faults).toEqual([])
    await other.context.close()
  })

  it('names the user who added a document, and says when that user is removed', async () => {
    const { administration, owner } = test.engine
    const email = 'ida@example.com'
    const given = { externalId: 'ida', email, name: 'Ida Pier', companyId: owner.companyId }
    const { user, principal } = await administration.ensureUser({ ...given, roles: [{ role: 'Administrator' }] })
    const ida = test.engine.as(principal)
    const input = { name: 'Notes of Ida', description: '', caption: '', toolsJson: '[]' }
    const { id: contextId } = await ida.contexts.create(input)
    await ida.contexts.share(contextId, { shareState: 1 })
    const uuid = await ida.documents.upload(contextId, { fileName: 'notes.txt', content: LEAVE })
    const { id } = await ida.documents.whenProcessed(uuid)
    await shown.open(`/gpts/${contextId}/documents/${id}`)
    await page.getByText(/, by Ida Pier$/).waitFor()
    await administration.users.delete(user.id)
    await page.reload()
    await page.getByText(/, by a user who was removed or is not in your companies$/).waitFor()
  })

  it('has nothing serious for axe in both themes, and fits 360 px', async () => {
    const { contextId, id, failedId } = await contextWithContent()
    const narrow = await test.openPage({ width: 360, language: 'de' })
    await narrow.logIn()
    for (const [name, path, state] of [
      ['list', `/gpts/${contextId}/documents`, 'Fertig'],
      ['detail', `/gpts/${contextId}/documents/${id}`, 'Fertig'],
      ['failure', `/gpts/${contextId}/documents/${failedId}`, 'Fehlgeschlagen'],
    ] as const) {
      await narrow.open(path)
      await narrow.page.locator('.badge').getByText(state).waitFor()
      if (name !== 'detail') {
        await narrow.page.getByText('Die Datei ist beschädigt und lässt sich nicht lesen. Speichere sie').waitFor()
        expect(await narrow.page.getByRole('main').innerText()).not.toContain('ERR_')
      }
      for (const colorScheme of ['light', 'dark'] as const) {
        await narrow.page.emulateMedia({ colorScheme })
        expect(await seriousViolations(narrow.page)).toEqual([])
        expect(await sidewaysScrolls(narrow.page)).toEqual([])
        await picture(narrow.page, `console-documents-${colorScheme}-${name}`)
      }
    }
    await narrow.open(`/gpts/${contextId}/documents?state=busy&name=${'lang'.repeat(30)}`)
    await narrow.page.getByRole('heading', { name: 'im Namen hat den Status „In Arbeit“' }).waitFor()
    expect(await seriousViolations(narrow.page)).toEqual([])
    expect(await narrow.page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    expect(narrow.faults).toEqual([])
    await narrow.context.close()
    expect(shown.faults.filter((fault) => !fault.includes('net::ERR_'))).toEqual([])
    expect(shown.faults).toHaveLength(lostConnections)
  })

  /** @returns a context with a completed document and a failed one */
  async function contextWithContent(): Promise<Record<'contextId' | 'id' | 'failedId', number>> {
    const contextId = await contextOf(`A long name without any end ${MARKUP}`)
    const { id } = await documentOf(
      contextId,
      `${'long-name-'.repeat(20)}.txt`,
      `${LEAVE} ${MARKUP} ${'x'.repeat(300)}`,
    )
    const uuid = await session().documents.upload(contextId, { fileName: 'broken.docx', content: BROKEN_ZIP })
    await expect(session().documents.whenProcessed(uuid)).rejects.toThrow('ERR_CORRUPT_FILE')
    return { contextId, id, failedId: (await documentNamed(contextId, 'broken.docx')).id }
  }

  async function readerOf(name: string): Promise<{ readonly email: string; readonly password: string }> {
    const { administration } = test.engine
    const email = `${name}@example.com`
    const roles = [{ role: 'Reader' }]
    const { user } = await administration.ensureUser({ externalId: name, companyId: 1, email, roles })
    await administration.users.completeSetup(user.id, PASSWORD)
    return { email, password: PASSWORD }
  }

  async function upload(paths: readonly string[]): Promise<void> {
    const dialog = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose files' }).click()
    await (await dialog).setFiles([...paths])
  }

  async function deleteListed(name: string): Promise<void> {
    await page.getByRole('checkbox', { name: `Select ${name}` }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText(`“${name}” is deleted.`).waitFor()
  }

  async function drop(files: readonly string[]): Promise<void> {
    const place = await page.getByText('Drop files and folders here').boundingBox()
    if (place === null) throw new Error('there is no place for files')
    const { x, y } = place
    const browser = await shown.context.newCDPSession(page)
    const data = { items: [], files: [...files], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await browser.send('Input.dispatchDragEvent', { type, x, y, data })
    await browser.detach()
  }
})

/** @param bytesPerSecond of uploads */
async function slowNetwork(page: Page, bytesPerSecond: number): Promise<CDPSession> {
  const browser = await page.context().newCDPSession(page)
  const slow = { offline: false, latency: 50, downloadThroughput: 1_000_000, uploadThroughput: bytesPerSecond }
  await browser.send('Network.enable')
  await browser.send('Network.emulateNetworkConditions', slow)
  return browser
}

async function fastNetwork(browser: CDPSession): Promise<void> {
  const fast = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }
  await browser.send('Network.emulateNetworkConditions', fast)
  await browser.detach()
}

interface FrameTimes {
  readonly frames: number
  /** Time of the page's main thread on a processor. */
  readonly cpuMsPerFrame: number
  readonly medianMs: number
  readonly p95Ms: number
  readonly longestMs: number
  /** The longest task of the page's scripts. It is 0 without a task above 50 ms. */
  readonly longestTaskMs: number
}

/** Measures the frames of the page while something happens. */
async function frameTimesOf(page: Page, act: () => Promise<void>): Promise<FrameTimes> {
  // Expressions of the browser's debugger: the policy of the page forbids scripts inside it.
  await page.evaluate(`{
    const measured = { frames: [], tasks: [], isOver: false }
    window.measured = measured
    new PerformanceObserver((list) => measured.tasks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: 'longtask' })
    let last
    const tick = (now) => {
      if (last !== undefined) measured.frames.push(now - last)
      last = now
      if (!measured.isOver) requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  }`)
  const browser = await page.context().newCDPSession(page)
  await browser.send('Performance.enable', { timeDomain: 'threadTicks' })
  const cpuSeconds = async (): Promise<number> => {
    const { metrics } = await browser.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
  }
  const before = await cpuSeconds()
  await act()
  const cpuMs = ((await cpuSeconds()) - before) * 1_000
  await browser.detach()
  const { frames, tasks } = await page.evaluate<{ readonly frames: number[]; readonly tasks: number[] }>(
    '(measured.isOver = true, measured)',
  )
  const sorted = frames.sort((one, other) => one - other)
  const at = (share: number): number => Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 10) / 10
  return {
    frames: sorted.length,
    cpuMsPerFrame: Math.round((cpuMs / sorted.length) * 10) / 10,
    medianMs: at(0.5),
    p95Ms: at(0.95),
    longestMs: at(1),
    longestTaskMs: Math.round(Math.max(0, ...tasks)),
  }
}

/** The number of the first row that is in the page, after the head. */
async function firstRow(page: Page): Promise<number> {
  return Number(await page.getByRole('row').nth(1).getAttribute('aria-rowindex'))
}
