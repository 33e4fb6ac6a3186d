import { chunkText } from '../../dist/src/index.js'
import type { Tokenizer } from '../../dist/src/ports/index.js'
import { peer, versionOf } from '../harness/peers.js'

export const CHUNK_TOKENS = 1_000
const OVERLAP_TOKENS = 200
const WINDOW_TOKENS = 254
/** The size of a token for splitters that count characters. English has 4 to 5 characters a token. */
const CHARACTERS_PER_TOKEN = 4

/** A splitter of texts. Peers run with the settings of their documentation. */
export interface TextChunker {
  readonly name: string
  /** The unit of a chunk's size. */
  readonly counts: 'tokens of the model' | 'tokens of GPT' | 'characters'
  readonly chunk: (text: string) => Promise<readonly string[]> | readonly string[]
}

interface Splitter {
  splitText(text: string): Promise<string[]>
}
interface LangChain {
  readonly RecursiveCharacterTextSplitter: new (options: object) => Splitter
}
interface GptTokenizer {
  countTokens(text: string): number
}
interface LlamaIndex {
  readonly SentenceSplitter: new (options: object) => { splitText(text: string): string[] }
}
interface Mastra {
  readonly MDocument: { fromText(text: string): { chunk(options: object): Promise<readonly { text: string }[]> } }
}
interface Chonkie {
  readonly RecursiveChunker: { create(options: object): Promise<{ chunk(text: string): Promise<{ text: string }[]> }> }
}

/** The engine's chunks of a text, with windows for the default model. */
function alcoveChunks(text: string, tokenizer: Tokenizer): readonly string[] {
  const options = { chunkSizeTokens: CHUNK_TOKENS, overlap: OVERLAP_TOKENS / CHUNK_TOKENS, windowTokens: WINDOW_TOKENS }
  return Array.from(chunkText(text, { tokenizer, ...options }), (chunk) => chunk.text)
}

/** The engine's chunker, and the peers that are installed. */
export async function chunkers(tokenizer: Tokenizer): Promise<readonly [TextChunker, ...TextChunker[]]> {
  const found: [TextChunker, ...TextChunker[]] = [
    { name: 'alcove', counts: 'tokens of the model', chunk: (text) => alcoveChunks(text, tokenizer) },
  ]
  const gpt = await peer<GptTokenizer>('gpt-tokenizer')
  const langChain = await peer<LangChain>('@langchain/textsplitters')
  if (langChain !== undefined) {
    const name = `LangChain ${versionOf('@langchain/textsplitters')}, recursive`
    const splitter = (unit: number, lengthFunction?: (text: string) => number): Splitter =>
      new langChain.RecursiveCharacterTextSplitter({
        chunkSize: CHUNK_TOKENS * unit,
        chunkOverlap: OVERLAP_TOKENS * unit,
        ...(lengthFunction && { lengthFunction }),
      })
    const byModel = splitter(1, (text) => tokenizer.count(text))
    found.push({
      name: `${name}, counting with this engine's tokenizer`,
      counts: 'tokens of the model',
      chunk: (text) => byModel.splitText(text),
    })
    if (gpt !== undefined) {
      const byGpt = splitter(1, (text) => gpt.countTokens(text))
      found.push({
        name: `${name}, counting with gpt-tokenizer ${versionOf('gpt-tokenizer')}`,
        counts: 'tokens of GPT',
        chunk: (text) => byGpt.splitText(text),
      })
    }
    const byCharacters = splitter(CHARACTERS_PER_TOKEN)
    found.push({ name, counts: 'characters', chunk: (text) => byCharacters.splitText(text) })
  }
  const llamaIndex = await peer<LlamaIndex>('@llamaindex/core/node-parser')
  if (llamaIndex !== undefined) {
    const name = `LlamaIndex ${versionOf('@llamaindex/core')}, sentences`
    const options = { chunkSize: CHUNK_TOKENS, chunkOverlap: OVERLAP_TOKENS }
    // LlamaIndex reads only the length of the encoded text.
    const counter = { encode: (text: string) => ({ length: tokenizer.count(text) }) }
    const byModel = new llamaIndex.SentenceSplitter({ ...options, tokenizer: counter })
    found.push({
      name: `${name}, counting with this engine's tokenizer`,
      counts: 'tokens of the model',
      chunk: (text) => byModel.splitText(text),
    })
    const byGpt = new llamaIndex.SentenceSplitter(options)
    found.push({ name, counts: 'tokens of GPT', chunk: (text) => byGpt.splitText(text) })
  }
  const mastra = await peer<Mastra>('@mastra/rag')
  if (mastra !== undefined) {
    const cut = (options: object) => async (text: string) =>
      (await mastra.MDocument.fromText(text).chunk(options)).map((chunk) => chunk.text)
    const name = `mastra ${versionOf('@mastra/rag')}`
    // mastra makes a new encoder for each call, which takes most of its time. No option accepts an existing one.
    found.push({
      name: `${name}, tokens`,
      counts: 'tokens of GPT',
      chunk: cut({
        strategy: 'token',
        encodingName: 'o200k_base',
        maxSize: CHUNK_TOKENS,
        overlap: OVERLAP_TOKENS,
      }),
    })
    found.push({
      name: `${name}, recursive`,
      counts: 'characters',
      chunk: cut({
        strategy: 'recursive',
        maxSize: CHUNK_TOKENS * CHARACTERS_PER_TOKEN,
        overlap: OVERLAP_TOKENS * CHARACTERS_PER_TOKEN,
      }),
    })
  }
  const chonkie = await peer<Chonkie>('@chonkiejs/core')
  if (chonkie !== undefined) {
    const chunker = await chonkie.RecursiveChunker.create({ chunkSize: CHUNK_TOKENS * CHARACTERS_PER_TOKEN })
    found.push({
      name: `chonkie ${versionOf('@chonkiejs/core')}, recursive, without overlap`,
      counts: 'characters',
      chunk: async (text) => (await chunker.chunk(text)).map((chunk) => chunk.text),
    })
  }
  return found
}
