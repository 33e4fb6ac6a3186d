import assert from 'node:assert/strict'
import type { Clock, StarterPromptWriter, Telemetry } from '../../src/ports/index.js'
import { type CreateSubject, defineSuite, type TestRunner } from './harness.js'

/** Tests for every Clock. */
export function clockSuite(runner: TestRunner, name: string, create: CreateSubject<Clock>): void {
  defineSuite(runner, `Clock: ${name}`, create, (test) => {
    test('returns a valid time that never goes back', async (clock) => {
      const first = clock.now()
      const second = clock.now()
      assert.ok(!Number.isNaN(first.getTime()))
      assert.ok(second.getTime() >= first.getTime())
    })

    test('returns a Date that the caller may change', async (clock) => {
      const first = clock.now()
      first.setFullYear(1970)
      assert.notEqual(clock.now().getFullYear(), 1970)
    })
  })
}

/** Tests for every Telemetry. */
export function telemetrySuite(runner: TestRunner, name: string, create: CreateSubject<Telemetry>): void {
  defineSuite(runner, `Telemetry: ${name}`, create, (test) => {
    test('accepts any event without throwing', async (telemetry) => {
      telemetry.record({ name: 'test.plain', level: 'debug' })
      telemetry.record({ name: 'test.fields', level: 'info', fields: { id: 1, text: 'two', flag: true, none: null } })
      telemetry.record({ name: 'test.error', level: 'error', error: new Error('test'), durationMs: 1.5 })
      telemetry.record({ name: 'test.odd', level: 'warn', error: 'no Error at all' })
    })
  })
}

/** Tests for every StarterPromptWriter. */
export function starterPromptWriterSuite(
  runner: TestRunner,
  name: string,
  create: CreateSubject<StarterPromptWriter>,
): void {
  const subjects = {
    'a plain context': { name: 'Handbook', description: 'Answer from the staff handbook.', caption: 'HR questions' },
    'empty texts': { name: 'x', description: '', caption: '' },
    'texts of the greatest length': {
      name: 'n'.repeat(255),
      description: 'word '.repeat(20_000),
      caption: '👩‍👩‍👧‍👦'.repeat(90),
    },
    'texts with line breaks': { name: 'one\ntwo', description: '\n\n', caption: ' \t three\r\nfour ' },
  }
  defineSuite(runner, `StarterPromptWriter: ${name}`, create, (test) => {
    for (const [title, subject] of Object.entries(subjects)) {
      test(`writes prompts that a context can store, for ${title}`, async (writer) => {
        const prompts = await writer.write(subject)
        assert.ok(prompts.length >= 1 && prompts.length <= 50)
        assert.equal(new Set(prompts).size, prompts.length)
        for (const prompt of prompts) {
          assert.ok(prompt.trim() !== '' && Array.from(prompt).length <= 1_000, prompt)
          assert.ok(prompt.isWellFormed() && !prompt.includes('\0'), prompt)
        }
      })
    }
  })
}
