import type { Tokenizer } from '../../dist/src/ports/index.js'
import { bytesOf, type Contestant, megabytesPerSecond } from '../harness/measure.js'
import { peer, versionOf } from '../harness/peers.js'
import { READING } from './chunking-targets.js'
import { openReferenceTokenizer } from './reference-tokenizer.js'

interface GptTokenizer {
  countTokens(text: string): number
}

/** Counts the tokens of texts without cutting them. A bare loop over the characters runs beside it. */
export async function tokenCounters(
  texts: readonly string[],
  tokenizer: Tokenizer,
  leastMs: number,
): Promise<readonly Contestant[]> {
  const bytes = bytesOf(texts)
  const contestant = (name: string, count: (text: string) => unknown): Contestant => ({
    name,
    run: () =>
      megabytesPerSecond(bytes, leastMs, async () => {
        for (const text of texts) await count(text)
      }),
  })
  const gpt = await peer<GptTokenizer>('gpt-tokenizer')
  const reference = await openReferenceTokenizer()
  return [
    contestant('alcove: counting alone', (text) => tokenizer.count(text)),
    ...(gpt === undefined
      ? []
      : [contestant(`gpt-tokenizer ${versionOf('gpt-tokenizer')}: counting alone`, (text) => gpt.countTokens(text))]),
    ...(reference === undefined
      ? []
      : [contestant(`${reference.name}: counting alone`, (text) => reference.count([text]))]),
    contestant(READING, sumOfCharacters),
  ]
}

function sumOfCharacters(text: string): number {
  let sum = 0
  for (let at = 0; at < text.length; at += 1) sum = (sum + text.charCodeAt(at)) | 0
  return sum
}
