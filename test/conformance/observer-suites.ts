import assert from 'node:assert/strict'
import {
  type Clock,
  parseTraceparent,
  type StarterPromptWriter,
  type Telemetry,
  type TelemetryEvent,
  tracerOf,
} from '../../src/ports/index.js'
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

/** A span of another process. */
const REMOTE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

function traceIdOf(traceparent: string | undefined): string | undefined {
  return parseTraceparent(traceparent ?? '')?.traceId
}

/** Tests for every Telemetry. */
export function telemetrySuite(runner: TestRunner, name: string, create: CreateSubject<Telemetry>): void {
  defineSuite(runner, `Telemetry: ${name}`, create, (test) => {
    test('accepts any event without throwing', async (telemetry) => {
      const events: readonly TelemetryEvent[] = [
        { name: 'test.plain', level: 'debug' },
        { name: 'test.fields', level: 'info', fields: { id: 1, text: 'two', flag: true, none: null } },
        { name: 'test.error', level: 'error', error: new Error('test'), durationMs: 1.5 },
        { name: 'test.odd', level: 'warn', error: 'no Error at all' },
      ]
      for (const event of events) assert.doesNotThrow(() => telemetry.record(event), event.name)
    })

    test('returns what the work of a span returns, and rejects with its own error', async (telemetry) => {
      const tracer = tracerOf(telemetry)
      assert.equal(await tracer.span('alcove.search', {}, async () => 7), 7)
      const failure = new TypeError('as it is')
      await assert.rejects(
        tracer.span('alcove.search', { labels: { 'alcove.search.kind': 'one' } }, async (span) => {
          span.set({ 'alcove.context.id': 1 })
          span.label({ 'alcove.search.mode': 'hybrid' })
          span.fail('ERR_TEST')
          throw failure
        }),
        (error: unknown) => error === failure,
      )
      // Work that throws before its first await must not throw at the caller.
      const throwing = tracer.span('alcove.search', {}, () => {
        throw failure
      })
      await assert.rejects(throwing, (error: unknown) => error === failure)
    })

    test('gives a traceparent only within a span, and of that span', async (telemetry) => {
      const tracer = tracerOf(telemetry)
      assert.equal(tracer.traceparent(), undefined)
      await tracer.span('alcove.search', {}, async (span) => {
        if (telemetry.tracer === undefined) {
          assert.equal(span.traceparent, undefined)
          return
        }
        assert.ok(parseTraceparent(span.traceparent ?? ''), span.traceparent)
        await new Promise((resolve) => setTimeout(resolve, 1))
        assert.equal(tracer.traceparent(), span.traceparent)
        const inner = await tracer.span('alcove.search.words', {}, async () => tracer.traceparent())
        assert.equal(traceIdOf(inner), traceIdOf(span.traceparent))
        assert.notEqual(inner, span.traceparent)
        assert.equal(tracer.traceparent(), span.traceparent)
      })
      assert.equal(tracer.traceparent(), undefined)
    })

    test('continues a given trace, and begins a new one for null and for what is no traceparent', async (telemetry) => {
      if (telemetry.tracer === undefined) return
      const { tracer } = telemetry
      const traceOf = async (parent: string | null) =>
        await tracer.span('alcove.job', { parent }, async (span) => traceIdOf(span.traceparent))
      await tracer.span('alcove.search', {}, async (outer) => {
        assert.equal(await traceOf(REMOTE), traceIdOf(REMOTE))
        const zeros = `00-${'0'.repeat(32)}-b7ad6b7169203331-01`
        for (const parent of [
          null,
          '',
          zeros,
          REMOTE.replace('00-', 'ff-'),
          REMOTE.slice(0, -4),
          'x'.repeat(100_000),
        ]) {
          const traceId = await traceOf(parent)
          assert.ok(traceId !== undefined && traceId !== traceIdOf(outer.traceparent) && !REMOTE.includes(traceId))
        }
      })
    })

    test('measures an engine no more after its end', async (telemetry) => {
      let calls = 0
      const end = telemetry.observe?.(async () => {
        calls += 1
        return [{ name: 'alcove.table.rows', value: 1, labels: {} }]
      })
      end?.()
      const callsAtEnd = calls
      await new Promise((resolve) => setTimeout(resolve, 20))
      assert.equal(calls, callsAtEnd)
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
