import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { chunkText } from '../dist/src/index.js'
import type { Tokenizer } from '../dist/src/ports/index.js'
import { MODEL, MODELS } from './default-model.js'
import { peer } from './peers.js'
import { sharedData } from './shared-data.js'

/** The tokenizer in Rust, with which the model was trained, as fastembed brings it. */
interface Reference {
  readonly Tokenizer: {
    fromFile(path: string): {
      disableTruncation(): void
      disablePadding(): void
      encodeBatch(texts: string[], options: object): Promise<{ getIds(): number[] }[]>
    }
  }
}

export interface TokenExactness {
  readonly lines: {
    readonly files: number
    readonly linesCompared: number
    /**
     * Lines with a run of more than 100 characters without white space: the reference reads such a run as one unknown
     * token and its content is lost, where this engine cuts it, so that their tokens must differ.
     */
    readonly linesLeftOut: number
    /** Lines whose tokens are not those of the reference. */
    readonly linesThatDiffer: number
    readonly tokens: number
  }
  readonly chunkings: readonly {
    readonly chunkSizeTokens: number
    readonly overlap: number
    readonly chunks: number
    /** Chunks with more tokens than they may have. */
    readonly tooLarge: number
  }[]
}

const TEXTS = /\.(txt|md|csv|tsv|json|jsonl|xml|native|qry|gz)$/
const LONG_RUN = /\S{101,}/u
const LINES_AT_ONCE = 2_000
const CHUNKINGS = [
  { chunkSizeTokens: 200, overlap: 0.2 },
  { chunkSizeTokens: 1_000, overlap: 0.2 },
]

/**
 * All texts of the shared data, line by line, beside the reference tokenizer; and cut into chunks, none of which may
 * have more tokens than it should.
 *
 * @returns undefined without the data, or without the reference
 */
export async function tokenExactness(tokenizer: Tokenizer): Promise<TokenExactness | undefined> {
  const folder = sharedData()
  const reference = await peer<Reference>('@anush008/tokenizers')
  if (folder === undefined || reference === undefined) return undefined
  const exact = reference.Tokenizer.fromFile(join(MODELS, MODEL, 'tokenizer.json'))
  exact.disableTruncation()
  exact.disablePadding()
  const lines = { linesCompared: 0, linesLeftOut: 0, linesThatDiffer: 0, tokens: 0 }
  const chunkings = CHUNKINGS.map((options) => ({ ...options, chunks: 0, tooLarge: 0 }))
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => TEXTS.test(path))
  for (const path of paths) {
    const bytes = readFileSync(join(folder, path))
    const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
    for (const chunking of chunkings) {
      const { chunkSizeTokens, overlap } = chunking
      for (const { text: chunk } of chunkText(text, { tokenizer, chunkSizeTokens, overlap })) {
        chunking.chunks += 1
        if (tokenizer.count(chunk) > chunkSizeTokens) chunking.tooLarge += 1
      }
    }
    const all = text.split('\n').filter((line) => line !== '')
    const compared = all.filter((line) => !LONG_RUN.test(line))
    lines.linesCompared += compared.length
    lines.linesLeftOut += all.length - compared.length
    for (let at = 0; at < compared.length; at += LINES_AT_ONCE) {
      const some = compared.slice(at, at + LINES_AT_ONCE)
      const encodings = await exact.encodeBatch(some, { addSpecialTokens: false })
      for (const [index, line] of some.entries()) {
        const expected = encodings[index]?.getIds() ?? []
        const { ids } = tokenizer.encode(line)
        lines.tokens += ids.length
        const isSame = ids.length === expected.length && expected.every((id, place) => id === ids[place])
        if (!isSame || tokenizer.count(line) !== expected.length) lines.linesThatDiffer += 1
      }
    }
  }
  return { lines: { files: paths.length, ...lines }, chunkings }
}
