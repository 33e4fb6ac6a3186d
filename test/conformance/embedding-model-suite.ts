import assert from 'node:assert/strict'
import {
  type EmbeddingModel,
  isTokenizer,
  readableText,
  type TokenCounter,
  type Tokenizer,
} from '../../src/ports/index.js'
import { type CreateSubject, defineSuite, rejectsWith, type TestRunner } from './harness.js'

const TEXTS = [
  'The harbour is closed in winter.',
  'Parental leave takes eighteen weeks.',
  'Ships may not enter the port between November and March.',
]

const ODD_TEXTS = [
  '',
  ' \n\t ',
  'Hello, world!',
  'naïve café — déjà vu',
  '日本語の文章です。漢字も。',
  '한국어 문장입니다',
  'emoji 👩‍👩‍👧‍👦 and 🇳🇴',
  'a'.repeat(300),
  `${'x'.repeat(150)} ${'가'.repeat(120)} y`,
  'tab\tnew\nline\r\nend',
  '\u200bzero\u200dwidth\ufeff',
  'á decomposed',
  '[CLS] [SEP] [UNK]',
  '!!! ... ???',
  `a${'\0'.repeat(1_500)}b \ufffd${'\u200b'.repeat(600)}`,
  `${'x'.repeat(30)}\ufeff`.repeat(8),
]

/** Tests for every EmbeddingModel, and its tokenizer or counter of tokens. Windows may have 8 to 8,192 tokens. */
export function embeddingModelSuite(runner: TestRunner, name: string, create: CreateSubject<EmbeddingModel>): void {
  defineSuite(runner, `EmbeddingModel: ${name}`, create, (test) => {
    test('has a complete and valid profile', async ({ profile }) => {
      assert.ok(profile.id !== '')
      assert.match(profile.fingerprint, /^[A-Za-z0-9-]{1,80}$/)
      assert.ok(Number.isSafeInteger(profile.dimensions) && profile.dimensions > 0)
      assert.ok(Number.isSafeInteger(profile.windowTokens) && profile.windowTokens > 8)
    })

    test('verifies its files without loading them', async (model) => {
      const { isLoaded } = model
      await model.verify()
      assert.equal(model.isLoaded, isLoaded)
    })

    test('returns one vector for each text, in the order of the texts', async (model) => {
      const vectors = await embedAll(model, TEXTS)
      assert.equal(vectors.length, TEXTS.length)
      for (const [index, text] of TEXTS.entries()) {
        const [alone] = await embedAll(model, [text])
        assert.ok(cosine(alone, vectors[index]) >= 0.95, text)
      }
      assert.deepEqual(await model.embed([], { kind: 'passage' }), new Float32Array())
    })

    test('is loaded after a call, if it knows', async (model) => {
      await embedAll(model, TEXTS)
      assert.notEqual(model.isLoaded, false)
    })

    test('returns finite vectors, of length 1 if the profile says that they are normalized', async (model) => {
      for (const vector of await embedAll(model, [...TEXTS, '', '。', '👍'])) {
        assert.ok(vector.every((component) => Number.isFinite(component)))
        if (model.profile.normalized) assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-3)
      }
    })

    test('keeps the order of texts of very different lengths', async (model) => {
      const room = await roomFor(model)
      const texts = Array.from({ length: 40 }, (_, index) =>
        `${'word '.repeat((index * 7) % room)}number ${index}`.trim(),
      )
      const fitting = texts.filter((_, index) => (index * 7) % room < room - 4)
      const together = await embedAll(model, fitting)
      for (const index of [0, Math.floor(fitting.length / 2), fitting.length - 1]) {
        const [alone] = await embedAll(model, [fitting[index] ?? ''])
        assert.ok(cosine(alone, together[index]) >= 0.95, fitting[index])
      }
    })

    test('rejects a text that is longer than its window instead of cutting it', async (model) => {
      const long = 'word '.repeat(model.profile.windowTokens + 1)
      await rejectsWith('ERR_INVALID_INPUT', model.embed([long], { kind: 'passage' }))
      assert.equal((await embedAll(model, TEXTS)).length, TEXTS.length)
    })

    test('rejects an aborted call at once and embeds the next text', async (model) => {
      const aborted = AbortSignal.abort(new Error('no longer wanted'))
      await assert.rejects(model.embed(TEXTS, { kind: 'passage', signal: aborted }), /no longer wanted/)
      assert.equal((await embedAll(model, TEXTS)).length, TEXTS.length)
    })

    test('handles many concurrent calls', async (model) => {
      const calls = Array.from({ length: 12 }, async (_, index) => embedAll(model, [TEXTS[index % 3] ?? '']))
      for (const [index, [vector]] of (await Promise.all(calls)).entries()) {
        const [repeated] = await embedAll(model, [TEXTS[index % 3] ?? ''])
        assert.ok(cosine(vector, repeated) >= 0.95)
      }
    })

    test('rejects every call after close, and a second close succeeds', async (model) => {
      await model.embed(['one'], { kind: 'query' })
      await model.close()
      await model.close()
      await rejectsWith('ERR_CLOSED', model.embed(['two'], { kind: 'query' }))
      await rejectsWith('ERR_CLOSED', model.tokenizer())
      await rejectsWith('ERR_CLOSED', model.verify())
    })

    for (const text of ODD_TEXTS) {
      test(`counts tokens as its port requires: ${JSON.stringify(text.slice(0, 24))}`, async (model) => {
        checkCounter(await model.tokenizer(), text)
      })
    }

    test('embeds the text that its tokenizer prepares, up to the last token of the window', async (model) => {
      const tokenizer = await model.tokenizer()
      const room = await roomFor(model)
      let long = 'x'.repeat(4_000)
      while (tokenizer.count(long) <= room) {
        assert.ok(long.length <= room * 64, 'a long word has tokens')
        long += long
      }
      // The longest beginning that fits: a longer beginning has no fewer tokens.
      let [fits, tooLong] = [0, long.length]
      while (tooLong - fits > 1) {
        const middle = Math.floor((fits + tooLong) / 2)
        if (tokenizer.count(long.slice(0, middle)) <= room) fits = middle
        else tooLong = middle
      }
      const text = long.slice(0, fits)
      assert.ok(text.length >= room, 'a letter is at most one token')
      const [vector] = await embedAll(model, [readableText(tokenizer, text)])
      assert.equal(vector?.length, model.profile.dimensions)
    })
  })
}

/** Words are in order and cover everything but white space. Their sums are right for every slice. */
function checkCounter(counter: TokenCounter, text: string): void {
  const { count, starts, ends, tokens } = counter.split(text)
  let covered = 0
  for (let word = 0; word < count; word += 1) {
    const [start = 0, end = 0] = [starts[word], ends[word]]
    assert.ok(end - start <= 512, 'no word has more than 512 UTF-16 units')
    assert.ok(start >= covered && end > start, `word ${word} of ${JSON.stringify(text)}`)
    assert.equal(text.slice(covered, start).trim().replaceAll('\ufeff', ''), '', 'only white space lies between words')
    assert.ok(!isLowSurrogate(text, start) && !isLowSurrogate(text, end), 'no word begins or ends inside a code point')
    covered = end
  }
  assert.equal(text.slice(covered).trim(), '')

  const total = tokens.slice(0, count).reduce((sum, each) => sum + each, 0)
  assert.equal(counter.count(text), total)
  for (let from = 0; from < count; from += 1) {
    const to = Math.min(count, from + 3)
    const sum = tokens.slice(from, to).reduce((all, each) => all + each, 0)
    assert.equal(counter.count(text.slice(starts[from], ends[to - 1])), sum)
  }
  for (const from of [0, Math.floor(count / 2), count - 1].filter((word) => word in starts && word < count)) {
    const offset = starts[from] ?? 0
    const rest = counter.split(text.slice(offset))
    assert.deepEqual(
      [...rest.ends.slice(0, rest.count)],
      Array.from(ends.slice(from, count), (end) => end - offset),
    )
    assert.deepEqual([...rest.tokens.slice(0, rest.count)], [...tokens.slice(from, count)])
  }
  if (isTokenizer(counter)) checkTokenizer(counter, text, total)
}

/** The parts of a tokenizer that a counter lacks. */
function checkTokenizer(tokenizer: Tokenizer, text: string, total: number): void {
  const { unknownId } = tokenizer
  assert.ok(unknownId === undefined || (Number.isInteger(unknownId) && unknownId >= 0), 'an id, where there is one')
  const { ids, starts, ends } = tokenizer.encode(text)
  assert.ok(ids.length <= total, 'a count is never too low')
  assert.deepEqual([starts.length, ends.length], [ids.length, ids.length])
  assert.ok(starts.every((start, token) => start <= (ends[token] ?? 0) && (ends[token] ?? 0) <= text.length))
  assert.equal(tokenizer.count(tokenizer.readable(text)), total)
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000
}

async function roomFor(model: EmbeddingModel): Promise<number> {
  const tokenizer = await model.tokenizer()
  return model.profile.windowTokens - tokenizer.specialTokens - tokenizer.count(model.profile.passagePrefix)
}

async function embedAll(model: EmbeddingModel, texts: readonly string[]): Promise<Float32Array[]> {
  const { dimensions } = model.profile
  const vectors = await model.embed(texts, { kind: 'passage' })
  assert.equal(vectors.length, texts.length * dimensions)
  return texts.map((_, row) => vectors.slice(row * dimensions, (row + 1) * dimensions))
}

function cosine(one: Float32Array | undefined, other: Float32Array | undefined): number {
  assert.ok(one !== undefined && other !== undefined)
  let dot = 0
  for (const [index, component] of one.entries()) dot += component * (other[index] ?? 0)
  return dot / (Math.hypot(...one) * Math.hypot(...other))
}
