import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NEW_CONTEXT, uploadText } from '../../src/engine/memory-engine.js'
import { TEXTS_IN_LANGUAGES } from '../text-extraction/language/texts-in-languages.js'
import { type ConsoleTest, MISSING_BROWSER, openConsoleTest, seriousViolations } from './console-test.js'

describe.skipIf(MISSING_BROWSER !== undefined)(
  'a GPT with documents in a language that its model does not know',
  () => {
    let test: ConsoleTest
    beforeAll(async () => {
      test = await openConsoleTest()
    })
    afterAll(async () => {
      await test.close()
    })

    it('says so once, with the commands for another model, and each document says it too', async () => {
      const session = test.engine.as(test.engine.owner)
      const { id } = await session.contexts.create(NEW_CONTEXT)
      for (const name of ['a.txt', 'b.txt']) await uploadText(session, id, name, TEXTS_IN_LANGUAGES.fi)
      const { page, open, logIn, faults, context } = await test.openPage()
      await logIn()
      await open(`/gpts/${id}/documents`)
      await page
        .getByText('Finnish (2 documents): found by words alone. The model all-MiniLM-L6-v2 does not know that.')
        .waitFor()
      await page.getByText('alcove model download multilingual-e5-small', { exact: true }).waitFor()
      await page.getByText(`alcove reindex ${id} --model multilingual-e5-small`, { exact: true }).waitFor()
      const [document] = await session.documents.list(id)
      await open(`/gpts/${id}/documents/${document?.id}`)
      await page
        .getByText('The text is Finnish, which the model all-MiniLM-L6-v2 does not know: it is found by words alone.')
        .waitFor()
      expect(await page.getByText('Not everything could be read').count()).toBe(0)
      expect(faults).toEqual([])
      await context.close()
    })

    it.each([
      ['en', 'Check everything', 'Finnish (2 documents): found by words alone.', 'The download has 135 MB.', 'GPT 1'],
      [
        'de',
        'Alles prüfen',
        'Finnisch (2 Dokumente): wird nur über Wörter gefunden.',
        'Der Download hat 135 MB.',
        'GPT 1',
      ],
    ] as const)('is in the notes of the doctor (%s)', async (language, button, found, cost, subject) => {
      const { page, open, logIn, faults, context } = await test.openPage({ language })
      await logIn()
      await open('/operate/doctor')
      await page.getByRole('button', { name: button, exact: true }).click()
      const item = page.getByRole('listitem').filter({ hasText: found })
      await item.getByText(cost).waitFor()
      expect(await item.getByText(subject, { exact: true }).count()).toBe(1)
      expect(await item.locator('code').allInnerTexts()).toEqual([
        'alcove model download multilingual-e5-small',
        'alcove reindex 1 --model multilingual-e5-small',
      ])
      expect(await seriousViolations(page)).toEqual([])
      expect(faults).toEqual([])
      await context.close()
    })
  },
)
