import assert from 'node:assert/strict'
import type { Reranker, RerankHit } from '../../src/ports/index.js'
import { type CreateSubject, defineSuite, rejectsWith, type TestRunner } from './harness.js'

const PROMPT = 'How many weeks of parental leave?'

function hitOf(text: string, name = 'handbook.txt', headings: readonly string[] = []): RerankHit {
  return { name, headings, text }
}

const HITS = [
  hitOf('The harbour is closed in winter.'),
  hitOf('Parental leave is eighteen weeks.'),
  hitOf('The canteen opens at eleven.'),
]

const ODD_TEXTS = [
  '',
  ' \n\t ',
  'naïve café — déjà vu',
  '日本語の文章です。漢字も。',
  'emoji 👩‍👩‍👧‍👦 and 🇳🇴',
  'quotes " and \\ and </s> and [SEP]',
  `a${'\0'.repeat(100)}b`,
]

/** Tests for every Reranker. It must know that a text about parental leave answers a question about it. */
export function rerankerSuite(runner: TestRunner, name: string, create: CreateSubject<Reranker>): void {
  defineSuite(runner, `Reranker: ${name}`, create, (test) => {
    test('has a name, and room for a call', async ({ id, concurrency = 1 }) => {
      assert.match(id, /^\S.*$/)
      assert.ok(Number.isSafeInteger(concurrency) && concurrency > 0)
    })

    test('scores the hit that answers highest, wherever it stands', async (reranker) => {
      for (const hits of [HITS, HITS.toReversed(), [...HITS.slice(1), ...HITS.slice(0, 1)]]) {
        const scores = await scoresOf(reranker, PROMPT, hits)
        const best = hits[scores.indexOf(Math.max(...scores))]
        assert.equal(best?.text, 'Parental leave is eighteen weeks.')
      }
    })

    test('gives the same scores a second time', async (reranker) => {
      const scores = await scoresOf(reranker, PROMPT, HITS)
      for (const [at, score] of (await scoresOf(reranker, PROMPT, HITS)).entries()) {
        assert.ok(Math.abs(score - (scores[at] ?? Number.NaN)) <= 1e-4)
      }
    })

    test('reads the name and the headings too', async (reranker) => {
      const [byName = 0, none = 0, byHeading = 0] = await scoresOf(reranker, PROMPT, [
        hitOf('Eighteen.', 'Weeks of parental leave.txt'),
        hitOf('Eighteen.'),
        hitOf('Eighteen.', 'handbook.txt', ['Leave', 'Weeks of parental leave']),
      ])
      assert.notEqual(byName, none)
      assert.notEqual(byHeading, none)
    })

    test('returns no score without hits', async (reranker) => {
      assert.deepEqual(await scoresOf(reranker, PROMPT, []), [])
    })

    test('scores any text', async (reranker) => {
      const hits = ODD_TEXTS.map((text) => hitOf(text, text, [text]))
      await scoresOf(reranker, PROMPT, hits)
      for (const prompt of ['?', '日本', '👍']) await scoresOf(reranker, prompt, HITS)
    })

    test('scores as many and as long hits as the engine sends', async (reranker) => {
      const text = 'The harbour is closed in winter. '.repeat(70).slice(0, 2_000)
      const hits = Array.from({ length: 100 }, (_, at) => hitOf(at === 71 ? `Parental leave: weeks. ${text}` : text))
      const scores = await scoresOf(reranker, `${'Please tell me. '.repeat(200)}${PROMPT}`.slice(-2_000), hits)
      assert.equal(scores.indexOf(Math.max(...scores)), 71)
    })

    test('rejects an aborted call at once, and scores the next one', async (reranker) => {
      const aborted = AbortSignal.abort(new Error('no longer wanted'))
      await assert.rejects(reranker.rerank(PROMPT, HITS, { signal: aborted }), /no longer wanted/)
      await scoresOf(reranker, PROMPT, HITS)
    })

    test('handles concurrent calls', async (reranker) => {
      const calls = Array.from({ length: 8 }, async (_, at) => {
        const hits = at % 2 === 0 ? HITS : HITS.toReversed()
        const scores = await scoresOf(reranker, PROMPT, hits)
        assert.match(hits[scores.indexOf(Math.max(...scores))]?.text ?? '', /^Parental/)
      })
      await Promise.all(calls)
    })

    test('rejects every call after close, and a second close succeeds', async (reranker) => {
      await reranker.close()
      await reranker.close()
      await rejectsWith('ERR_CLOSED', reranker.rerank(PROMPT, HITS))
    })
  })
}

async function scoresOf(reranker: Reranker, prompt: string, hits: readonly RerankHit[]): Promise<readonly number[]> {
  const scores = await reranker.rerank(prompt, hits)
  assert.equal(scores.length, hits.length)
  assert.ok(scores.every((score) => Number.isFinite(score)))
  return scores
}
