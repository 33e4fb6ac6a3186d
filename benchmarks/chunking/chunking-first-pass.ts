import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Tokenizer } from '../../dist/src/ports/index.js'
import { openDefaultModel, wholeTokenizerOf } from '../harness/default-model.js'
import { bytesOf, type Contestant, megabytesPerSecond } from '../harness/measure.js'
import { peer } from '../harness/peers.js'
import { sharedData } from '../harness/shared-data.js'
import { chunkers } from './chunkers.js'

/** The longest text of the shared data. */
const NOVELS = 'novels-11MB.txt.gz'
/** A part of the name of each row that cuts the novels. */
export const FIRST_PASS_OF_NOVELS = 'first pass, 11 MB of novels'
const ALCOVE = 'alcove'
const GPT_TOKENIZER = 'gpt-tokenizer'
const LANG_CHAIN = /^LangChain.*counting/

/**
 * Measures splitters on texts whose words their tokenizers have not met; the engine is the first. Each text is cut
 * once: a second pass finds all words in the maps of the tokenizers. The program itself is warm. LangChain cuts the
 * novels too.
 */
export async function firstPasses(texts: readonly string[], isQuick: boolean): Promise<readonly Contestant[]> {
  const novels = isQuick ? undefined : readNovels()
  const own = { name: `${ALCOVE}: first pass`, run: () => firstPass(ALCOVE, texts) }
  if (novels === undefined) return [own]
  const names = (await chunkers(await freshTokenizer())).map(({ name }) => name)
  const others = names.filter((name) => name === ALCOVE || LANG_CHAIN.test(name))
  const ofNovels = others.map((name) => ({
    name: `${name}: ${FIRST_PASS_OF_NOVELS}`,
    run: () => firstPass(name, [novels]),
  }))
  return [own, ...ofNovels]
}

async function firstPass(name: string, texts: readonly string[]): Promise<number> {
  const chunker = (await chunkers(await freshTokenizer())).find((one) => one.name === name)
  if (chunker === undefined) throw new Error(`there is no splitter ${name}`)
  // gpt-tokenizer keeps the tokens of words too.
  const gpt = await peer<{ clearMergeCache(): void }>(GPT_TOKENIZER)
  gpt?.clearMergeCache()
  return await megabytesPerSecond(bytesOf(texts), 0, async () => {
    for (const text of texts) await chunker.chunk(text)
  })
}

/** Opens a tokenizer with an empty map: each model has its own. */
async function freshTokenizer(): Promise<Tokenizer> {
  const model = await openDefaultModel()
  const tokenizer = await wholeTokenizerOf(model)
  await model.close()
  return tokenizer
}

/** @returns undefined without the shared data */
function readNovels(): string | undefined {
  const folder = sharedData('docs', 'txt')
  return folder === undefined ? undefined : gunzipSync(readFileSync(join(folder, NOVELS))).toString('utf8')
}
