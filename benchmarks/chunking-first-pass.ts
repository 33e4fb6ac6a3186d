import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Tokenizer } from '../dist/src/ports/index.js'
import { alcoveChunks } from './chunkers.js'
import { openDefaultModel } from './default-model.js'
import { bytesOf, type Contestant, megabytesPerSecond } from './measure.js'
import { sharedData } from './shared-data.js'

/** The longest text of the shared data. */
const NOVELS = 'novels-11MB.txt.gz'

/**
 * The engine's chunker on texts no word of which its tokenizer has met, each cut once: what is cut again and again has
 * all its words in the tokenizer's map. The program itself is warm.
 */
export function firstPasses(texts: readonly string[], isQuick: boolean): readonly Contestant[] {
  const name = 'alcove: first pass'
  const novels = isQuick ? undefined : readNovels()
  return [
    { name, run: () => firstPass(texts) },
    ...(novels === undefined
      ? []
      : [
          {
            name: `${name}, ${Math.round(Buffer.byteLength(novels) / 1e6)} MB of novels`,
            run: () => firstPass([novels]),
          },
        ]),
  ]
}

async function firstPass(texts: readonly string[]): Promise<number> {
  const tokenizer = await freshTokenizer()
  const bytes = bytesOf(texts)
  return await megabytesPerSecond(bytes, 0, () => {
    for (const text of texts) alcoveChunks(text, tokenizer)
  })
}

/** A model keeps its tokenizer: another one's has an empty map. */
async function freshTokenizer(): Promise<Tokenizer> {
  const model = await openDefaultModel()
  const tokenizer = await model.tokenizer()
  await model.close()
  return tokenizer
}

/** @returns undefined without the shared data */
function readNovels(): string | undefined {
  const folder = sharedData('docs', 'txt')
  return folder === undefined ? undefined : gunzipSync(readFileSync(join(folder, NOVELS))).toString('utf8')
}
