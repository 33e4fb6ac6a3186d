/**
 * P1: chunks of 1,000 tokens with an overlap of 200, on one core, with the tokenizer included. Splitters of other
 * libraries run in the same run. The figures are megabytes a second, chunks that are too large, and the beginnings of
 * chunks.
 */

import { openDefaultModel, wholeTokenizerOf } from '../harness/default-model.js'
import { bytesOf, type Contestant, figureOf, inTurn, mediansOf, megabytesPerSecond } from '../harness/measure.js'
import { writeReport } from '../harness/report.js'
import { markdownTexts, SAMPLE, sampleTexts } from '../harness/sample-texts.js'
import { sharesOfBeginnings } from './chunk-beginnings.js'
import { placesOf, repeatedTokens } from './chunk-places.js'
import { CHUNK_TOKENS, chunkers, type TextChunker } from './chunkers.js'
import { FIRST_PASS_OF_NOVELS, firstPasses } from './chunking-first-pass.js'
import { tokenCounters } from './token-counters.js'
import { tokenExactness } from './token-exactness.js'

const isQuick = process.argv.includes('--quick')
const ROUNDS = isQuick ? 1 : 7
/** The shortest time of a measurement. First passes take as long as they take. */
const LEAST_MS = isQuick ? 1 : 600

const model = await openDefaultModel()
const tokenizer = await wholeTokenizerOf(model)
const texts = shortened(sampleTexts())
const bytes = bytesOf(texts)

const [alcove, ...peers] = await chunkers(tokenizer)
const counting = await tokenCounters(texts, tokenizer, LEAST_MS)
const first = await firstPasses(texts, isQuick)
/** Megabytes a second of the current round, by name. */
const latest = new Map<string, number>()
const cutting = [alcove, ...peers].map(
  ({ name, chunk }): Contestant => ({
    name,
    run: () =>
      megabytesPerSecond(bytes, LEAST_MS, async () => {
        for (const text of texts) await chunk(text)
      }),
  }),
)
const countingTokens = peers.filter(({ counts }) => counts !== 'characters')
const [ownNovels, ...novels] = first.filter(({ name }) => name.includes(FIRST_PASS_OF_NOVELS))
const comparing = [
  ...countingTokens.map(({ name }) => compared(alcove.name, name)),
  ...novels.map(({ name }) => compared(ownNovels?.name ?? '', name)),
]
const speeds = await inTurn(ROUNDS, [...[...counting, ...first, ...cutting].map(remembered), ...comparing])

const speedOf = (name: string) => ({ name, megabytesPerSecond: figureOf(speeds, name) })
const markdown = shortened(markdownTexts())
const descriptions = new Map<string, Awaited<ReturnType<typeof describeChunks>>>()
const headed: Readonly<Record<string, unknown>>[] = []
for (const chunker of [alcove, ...peers]) {
  descriptions.set(chunker.name, await describeChunks(chunker, texts))
  headed.push({ name: chunker.name, ...(await describeChunks(chunker, markdown)) })
}
const rows = [...counting, alcove, ...first, ...peers].map(({ name }) => ({
  ...speedOf(name),
  ...descriptions.get(name),
}))
const ratios = comparing.map(({ peer, name }) => ({ name: peer, timesAsFast: figureOf(speeds, name) }))
console.table(rows.map(({ megabytesPerSecond: { median }, ...row }) => ({ 'MB/s': median, ...row })))
console.table(ratios.map(mediansOf))
console.table(headed)
const exactness = isQuick ? undefined : await tokenExactness(tokenizer)
if (exactness !== undefined) {
  console.table([exactness.lines])
  console.table(exactness.chunkings)
}
if (!isQuick) {
  writeReport('chunking', {
    text: SAMPLE,
    bytes,
    rows,
    'alcove beside splitters that count tokens': ratios,
    'chunks of Markdown': headed,
    ...(exactness && {
      'beside the reference tokenizer': exactness.lines,
      'chunks of the same texts': exactness.chunkings,
    }),
  })
}
await model.close()

function remembered({ name, run }: Contestant): Contestant {
  return {
    name,
    run: async () => {
      const speed = await run()
      latest.set(name, speed)
      return speed
    },
  }
}

/** Compares two splitters within one round, so that a slow machine affects both. */
function compared(own: string, peer: string) {
  const speedIn = (name: string): number => latest.get(name) ?? Number.NaN
  return { peer, name: `alcove beside ${peer}`, run: () => speedIn(own) / speedIn(peer) }
}

/** Shortens the texts for a smoke test. */
function shortened(all: readonly string[]): readonly string[] {
  return isQuick ? all.slice(0, 1).map((text) => text.slice(0, 12_000)) : all
}

/** Describes the chunks that a splitter makes. */
async function describeChunks({ counts, chunk }: TextChunker, described: readonly string[]) {
  const cutTexts = []
  for (const text of described) cutTexts.push({ text, chunks: placesOf(text, await chunk(text)) })
  const tokens = cutTexts.flatMap(({ chunks }) => chunks.map(({ text }) => tokenizer.count(text)))
  return {
    counts,
    chunks: tokens.length,
    tokensPerChunk: Math.round(tokens.reduce((sum, count) => sum + count, 0) / tokens.length),
    repeatedTokens: repeatedTokens(cutTexts, tokenizer),
    tooLarge: tokens.filter((count) => count > CHUNK_TOKENS).length,
    ...sharesOfBeginnings(cutTexts),
  }
}
