/**
 * P1: chunking in chunks of 1,000 tokens that overlap by 200, on one core, tokenizer included; beside splitters of
 * other libraries in the same run. Of each: megabytes a second, chunks that have more tokens than they may, and where
 * chunks begin.
 */
import { type Beginnings, countBeginnings } from './chunk-beginnings.js'
import { CHUNK_TOKENS, chunkers, type TextChunker } from './chunkers.js'
import { openDefaultModel } from './default-model.js'
import { inTurn, megabytesPerSecond } from './measure.js'
import { writeReport } from './report.js'
import { sampleTexts } from './sample-texts.js'
import { tokenExactness } from './token-exactness.js'

const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 7
/** How long each measurement takes at least. */
const LEAST_MS = isQuick ? 1 : 600

const model = await openDefaultModel()
const tokenizer = await model.tokenizer()
const texts = isQuick ? sampleTexts().map((text) => text.slice(0, 4_000)) : sampleTexts()
const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

const counting = 'alcove: counting alone'
const all = await chunkers(tokenizer)
const speeds = await inTurn(ROUNDS, [
  {
    name: counting,
    run: () =>
      megabytesPerSecond(bytes, LEAST_MS, () => {
        for (const text of texts) tokenizer.count(text)
      }),
  },
  ...all.map(({ name, chunk }) => ({
    name,
    run: () =>
      megabytesPerSecond(bytes, LEAST_MS, async () => {
        for (const text of texts) await chunk(text)
      }),
  })),
])
const rows = [{ name: counting, ...speeds.get(counting) }]
for (const chunker of all) rows.push({ name: chunker.name, ...speeds.get(chunker.name), ...(await look(chunker)) })
console.table(rows)
const exactness = isQuick ? undefined : await tokenExactness(tokenizer)
if (exactness !== undefined) console.table([exactness])
if (!isQuick)
  writeReport('chunking', { bytes, rows, ...(exactness && { 'beside the reference tokenizer': exactness }) })
await model.close()

/** What the chunks are like. */
async function look({ counts, chunk }: TextChunker) {
  const beginnings = { paragraph: 0, sentence: 0, word: 0, insideAWord: 0 }
  let [chunks, tokens, tooLarge] = [0, 0, 0]
  for (const text of texts) {
    const made = await chunk(text)
    chunks += made.length
    for (const one of made) {
      const count = tokenizer.count(one)
      tokens += count
      if (count > CHUNK_TOKENS) tooLarge += 1
    }
    countBeginnings(text, made, beginnings)
  }
  return { counts, chunks, tokensPerChunk: Math.round(tokens / chunks), tooLarge, ...shares(beginnings, chunks) }
}

function shares(beginnings: Beginnings, chunks: number): Beginnings {
  const share = (count: number): number => Math.round((count / chunks) * 100) / 100
  const { paragraph, sentence, word, insideAWord } = beginnings
  return { paragraph: share(paragraph), sentence: share(sentence), word: share(word), insideAWord: share(insideAWord) }
}
