import assert from 'node:assert/strict'
import type { TextRecognizer } from '../../src/ports/index.js'
import { type CreateSubject, defineSuite, rejectsWith, type TestRunner } from './harness.js'
import { PICTURE_OF_TEXT, TEXT_IN_PICTURE } from './picture-of-text.js'

/** Tests for every TextRecognizer. It must read English. */
export function textRecognizerSuite(runner: TestRunner, name: string, create: CreateSubject<TextRecognizer>): void {
  defineSuite(runner, `TextRecognizer: ${name}`, create, (test) => {
    test('has a name, and room for a picture', async ({ id, concurrency = 1 }) => {
      assert.match(id, /^\S.*$/)
      assert.ok(Number.isSafeInteger(concurrency) && concurrency > 0)
    })

    test('reads the words of a picture, and is sure of them', async (recognizer) => {
      const { text, confidence } = await recognizer.recognize(PICTURE_OF_TEXT)
      assert.deepEqual(wordsOf(text), wordsOf(TEXT_IN_PICTURE))
      assert.ok(confidence > 0.5 && confidence <= 1, `${confidence} is not sure`)
      assert.ok(text.isWellFormed() && !text.includes('\0'))
    })

    test('reads the same text a second time', async (recognizer) => {
      const first = await recognizer.recognize(PICTURE_OF_TEXT)
      assert.deepEqual(await recognizer.recognize(PICTURE_OF_TEXT), first)
    })

    test('rejects bytes that are no picture, and a damaged picture, and reads the next one', async (recognizer) => {
      const half = PICTURE_OF_TEXT.subarray(0, 100)
      for (const bytes of [Buffer.from('no picture'), Buffer.alloc(0), half]) {
        await rejectsWith('ERR_CORRUPT_FILE', recognizer.recognize(bytes))
      }
      assert.deepEqual(wordsOf((await recognizer.recognize(PICTURE_OF_TEXT)).text), wordsOf(TEXT_IN_PICTURE))
    })

    test('rejects an aborted call at once, and reads the next picture', async (recognizer) => {
      const aborted = AbortSignal.abort(new Error('no longer wanted'))
      await assert.rejects(recognizer.recognize(PICTURE_OF_TEXT, { signal: aborted }), /no longer wanted/)
      const later = new AbortController()
      const call = recognizer.recognize(PICTURE_OF_TEXT, { signal: later.signal })
      later.abort(new Error('no longer wanted'))
      // A recogniser that has answered already may give its answer.
      await call.catch((error: unknown) => assert.match(String(error), /no longer wanted/))
      assert.deepEqual(wordsOf((await recognizer.recognize(PICTURE_OF_TEXT)).text), wordsOf(TEXT_IN_PICTURE))
    })

    test('handles more calls than it has room for', async (recognizer) => {
      const count = (recognizer.concurrency ?? 1) + 2
      const calls = Array.from({ length: count }, async () => await recognizer.recognize(PICTURE_OF_TEXT))
      for (const { text } of await Promise.all(calls)) assert.deepEqual(wordsOf(text), wordsOf(TEXT_IN_PICTURE))
    })

    test('rejects every call after close, and a second close succeeds', async (recognizer) => {
      await recognizer.close()
      await recognizer.close()
      await rejectsWith('ERR_CLOSED', recognizer.recognize(PICTURE_OF_TEXT))
    })
  })
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/\p{L}+/gu) ?? []
}
