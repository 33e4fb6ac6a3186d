import { LRUCache } from 'lru-cache'
import type { Encoding, WordSpans } from '../../../src/ports/index.js'
import type { DeviceTokenizer, InputOptions } from '../device-tokenizer.js'
import { TokenizerThread } from './tokenizer-thread.js'
import { breakLongRuns, eachWord } from './words.js'

/** The highest number of words whose counts are kept. */
const MAX_WORDS = 50_000
/** A slice of a text from this length on keeps the whole text in memory. */
const SLICE_UNITS = 13

/**
 * Any tokenizer of `@huggingface/tokenizers`, word by word. The tokens of a word are those that it has behind a space inside
 * a text, so they do not depend on the words beside it.
 */
export class LibraryTokenizer implements DeviceTokenizer {
  readonly textsPerCall = 64
  readonly specialTokens: number
  readonly unknownId?: number
  readonly #counts = new LRUCache<string, number>({ max: MAX_WORDS })

  private constructor(private readonly thread: TokenizerThread) {
    const { specialTokens, unknownId } = thread.facts
    this.specialTokens = specialTokens
    if (unknownId !== undefined) this.unknownId = unknownId
  }

  /** @throws ModelError `ERR_MODEL_MISSING`, `ERR_MODEL_UNSUPPORTED` */
  static async open(folder: string): Promise<LibraryTokenizer> {
    return new LibraryTokenizer(await TokenizerThread.start(folder))
  }

  get hasEnded(): boolean {
    return this.thread.hasEnded
  }

  /** Ends the thread of the tokenizer. Its methods then throw a `ClosedError` for words that they have not seen. */
  async close(): Promise<void> {
    await this.thread.close()
  }

  async inputs(texts: readonly string[], options: InputOptions): Promise<readonly Int32Array[]> {
    return await this.thread.encode(texts, options)
  }

  split(text: string): WordSpans {
    const { starts, ends, words } = this.#wordsOf(text)
    const tokens = this.#countEach(words)
    return { count: words.length, starts: Uint32Array.from(starts), ends: Uint32Array.from(ends), tokens }
  }

  count(text: string): number {
    return this.#countEach(this.#wordsOf(text).words).reduce((sum, each) => sum + each, 0)
  }

  encode(text: string): Encoding {
    const { starts: wordStarts, words } = this.#wordsOf(text)
    const ids: number[] = []
    const starts: number[] = []
    const ends: number[] = []
    for (const [index, word] of this.thread.read(words).entries()) {
      const start = wordStarts[index] ?? 0
      word.ids.forEach((id, token) => {
        ids.push(id)
        starts.push(start + (word.starts[token] ?? 0))
        ends.push(start + (word.ends[token] ?? 0))
      })
    }
    return { ids: Int32Array.from(ids), starts: Uint32Array.from(starts), ends: Uint32Array.from(ends) }
  }

  readable(text: string): string {
    return breakLongRuns(text, this.thread.facts)
  }

  #wordsOf(text: string): { readonly starts: number[]; readonly ends: number[]; readonly words: string[] } {
    const starts: number[] = []
    const ends: number[] = []
    const words: string[] = []
    eachWord(text, this.thread.facts, (start, end) => {
      starts.push(start)
      ends.push(end)
      words.push(text.slice(start, end))
    })
    return { starts, ends, words }
  }

  /** Asks the thread for the words that are new, in one call. */
  #countEach(words: readonly string[]): Uint16Array {
    const found = new Map<string, number | undefined>()
    for (const word of words) if (!found.has(word)) found.set(word, this.#counts.get(word))
    const unknown = [...found.keys()].filter((word) => found.get(word) === undefined)
    const counts = unknown.length === 0 ? [] : this.thread.count(unknown)
    unknown.forEach((word, index) => {
      const count = counts[index] ?? 0
      found.set(word, count)
      this.#counts.set(copied(word), count)
    })
    return Uint16Array.from(words, (word) => found.get(word) ?? 0)
  }
}

/** Copies a slice, so that a cache does not keep the text around it. */
function copied(word: string): string {
  return word.length < SLICE_UNITS ? word : Buffer.from(word, 'utf16le').toString('utf16le')
}
