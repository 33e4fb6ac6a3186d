/** The properties of an embedding model. A profile is data, never code. */
export interface EmbeddingProfile {
  /** The name that a context stores as `embeddingModel`, such as `all-MiniLM-L6-v2`. */
  readonly id: string
  /**
   * Identifies the weights and everything else that changes a vector. Contexts with the same model but different
   * fingerprints never share vectors. Letters, digits, `-`.
   */
  readonly fingerprint: string
  /** Number of components of a vector. */
  readonly dimensions: number
  /** Maximum number of tokens of one input, with special tokens and prefix. */
  readonly windowTokens: number
  /** The way to make one vector of the token vectors: their mean (`mean`), or the first one (`cls`). */
  readonly pooling: 'mean' | 'cls'
  /** True if the model's vectors have length 1. */
  readonly normalized: boolean
  /** Text that the model puts before every query; empty for most models. */
  readonly queryPrefix: string
  /** Text that the model puts before every passage; empty for most models. */
  readonly passagePrefix: string
  /** The scale of its cosines. It changes no vector. Default: the engine measures it when it first needs it. */
  readonly similarity?: SimilarityScale | undefined
}

/** The scale of a model's cosines, measured with questions and answers in eleven languages. */
export interface SimilarityScale {
  /** Mean cosine of a question and a text that does not answer it. */
  readonly unrelated: number
  /** Mean cosine of a question and a text that answers it; more than `unrelated`. */
  readonly related: number
  /** The languages of the sample that the model knows, as ISO 639-1 codes: it puts each question next to its answer. */
  readonly languages: readonly string[]
}

/** Options of {@link EmbeddingModel.embed}. */
export interface EmbedOptions {
  /** The kind of the texts. It selects the prefix. */
  readonly kind: 'query' | 'passage'
  /** True if the call overtakes waiting calls that are not urgent. Default: true for `query`, false for `passage`. */
  readonly isUrgent?: boolean
  /** Ends the wait for the result. The model abandons batches that it has not started. Default: no signal. */
  readonly signal?: AbortSignal
}

/**
 * Turns texts into vectors. The cosine of two vectors says how near the meanings of their texts are.
 *
 * # Behaviour
 * - The first call of {@link tokenizer} or {@link embed} loads what it needs. After a failed load, the next call tries
 *   to load a second time.
 * - Concurrent calls are allowed. The model may queue them.
 * - After {@link close} every call rejects with a `ClosedError` (`ERR_CLOSED`).
 */
export interface EmbeddingModel {
  readonly profile: EmbeddingProfile
  /**
   * Number of concurrent calls of {@link embed} with one text that the model can use well. Searches make at most so
   * many calls at a time, so that they can take turns. 1 or more. Default: 2.
   */
  readonly concurrency?: number
  /** True if the weights are in this machine's memory now. Undefined, as without this member, if unknown. */
  readonly isLoaded?: boolean | undefined

  /**
   * Returns the model's own tokenizer, or only a counter of its tokens if the model runs elsewhere. Much cheaper than
   * {@link embed}: does not load the weights. {@link isTokenizer} tells one from the other.
   *
   * @throws ModelError `ERR_MODEL_MISSING` if a file of the model is missing; `ERR_MODEL_CHANGED` if a file is not the
   *   one that the profile names
   */
  tokenizer(): Promise<TokenCounter | Tokenizer>

  /**
   * Embeds texts. Each has at most `windowTokens` tokens, with special tokens and prefix.
   *
   * - Does not change the texts: the caller has passed them through {@link readableText}.
   * - Does not block the event loop for more than 50 ms.
   * - The same text gives the same vector up to the model's precision. With dynamically quantised weights, the other
   *   texts of a batch change the cosine by up to 0.05.
   * - Rejects with the signal's reason as soon as the signal is aborted.
   *
   * @returns `texts.length × dimensions` floats: one row for each text, in the order of `texts`; empty without texts
   * @throws InvalidInputError for a text that is longer than the window: the model never cuts a text
   * @throws ModelError as {@link tokenizer}; `ERR_MODEL_UNAVAILABLE` while a model that runs elsewhere is away, and
   *   `ERR_MODEL_REFUSED` if it refuses a request for good
   * @throws VectorInvalidError if it answers with unusable vectors
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array>

  /**
   * Checks, without loading the model, that its files exist and are those that the profile names.
   *
   * @throws ModelError as {@link tokenizer}
   */
  verify(): Promise<void>

  /**
   * Only for models that run elsewhere. Rejects if the last calls failed and the model is still away. Costs nothing
   * while calls succeed. After failures it asks the model, at most once in each of the pauses between such questions.
   *
   * @throws ModelError `ERR_MODEL_UNAVAILABLE`
   */
  checkAvailable?(): Promise<void>

  /** Frees threads and memory. Calls that wait reject with `ERR_CLOSED`. A second call does nothing. */
  close(): Promise<void>
}

/**
 * The words of a text, in parallel arrays.
 *
 * A word is the smallest piece that can be cut away without a change in the count of the rest. For WordPiece, it is a
 * run between white space and punctuation.
 */
export interface WordSpans {
  /** Number of words. The arrays may be longer. */
  readonly count: number
  /** UTF-16 offset of each word's start, ascending. */
  readonly starts: Uint32Array
  /** UTF-16 offset after each word's end; never inside a code point. */
  readonly ends: Uint32Array
  /** Number of tokens of each word, as `count` counts them; 0 for characters that the model drops. */
  readonly tokens: Uint16Array
}

/**
 * Counts the tokens of texts for one embedding model. The chunker needs no more than that.
 *
 * - A count is an upper bound: the model reads at most so many tokens. It is exact if the tokens of a word do not depend
 *   on the words beside it, as with WordPiece.
 * - A counter that only estimates may fall short for rare texts. Its model then gives a `windowTokens` that leaves a
 *   margin.
 * - All methods are synchronous, pure and deterministic, and never throw. The chunker calls them in slices on the host's
 *   event loop.
 */
export interface TokenCounter {
  /** Number of tokens that the model adds to every input, such as `[CLS]` and `[SEP]`. */
  readonly specialTokens: number

  /**
   * Finds the words of a text.
   *
   * - Every character that is not white space is in exactly one word.
   * - Words come in the order of the text and do not overlap.
   * - A run that is so long that the model would read it as one unknown token is cut into words that the model can
   *   read.
   * - No word has more than 512 UTF-16 units. A longer run of characters that the model drops is cut too.
   * - A slice that begins and ends at word borders has as many tokens as its words together.
   * - The text from a word's start on has the same words from there on.
   * - An empty text has no words.
   */
  split(text: string): WordSpans

  /** Counts the tokens of a text, without special tokens. Equals the sum of the counts of its words. */
  count(text: string): number
}

/** The tokens of a text with their ranges, in arrays of equal length. */
export interface Encoding {
  /** Ids in the model's vocabulary, without special tokens at the start and the end. */
  readonly ids: Int32Array
  /** UTF-16 offset of each token's start. */
  readonly starts: Uint32Array
  /** UTF-16 offset after each token's end. */
  readonly ends: Uint32Array
}

/** Splits text into the tokens that one embedding model reads. It has the model's vocabulary. */
export interface Tokenizer extends TokenCounter {
  /**
   * Id of the token that replaces text outside the vocabulary. A search gives the words of a question more weight if
   * the question has such tokens. Undefined if every text has tokens of its own, as with a vocabulary of bytes.
   */
  readonly unknownId?: number

  /** Encodes the whole text. It has at most `count(text)` tokens, and exactly so many if counts are exact. */
  encode(text: string): Encoding

  /**
   * Returns the text in the form for {@link EmbeddingModel.embed}. It has a break wherever {@link split} cut a run that
   * the model would read as one unknown token. Most texts stay unchanged. `count(readable(text))` equals `count(text)`.
   */
  readable(text: string): string
}

/** True if a counter also has the model's vocabulary. */
export function isTokenizer(counter: TokenCounter | Tokenizer): counter is Tokenizer {
  return 'encode' in counter
}

/** @returns the text in the form for {@link EmbeddingModel.embed}: unchanged if the model's tokens can only be counted */
export function readableText(counter: TokenCounter | Tokenizer, text: string): string {
  return isTokenizer(counter) ? counter.readable(text) : text
}

/**
 * Makes the spans of words that a pattern has found.
 *
 * @param words matches of a text, in its order
 * @param tokensOf counts the tokens of a word
 */
export function wordSpansOf(words: Iterable<RegExpExecArray>, tokensOf: (word: RegExpExecArray) => number): WordSpans {
  const found = [...words]
  return {
    count: found.length,
    starts: Uint32Array.from(found, ({ index }) => index),
    ends: Uint32Array.from(found, ({ 0: word, index }) => index + word.length),
    tokens: Uint16Array.from(found, tokensOf),
  }
}
