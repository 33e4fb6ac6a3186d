/**
 * The words of a text, in parallel arrays.
 *
 * A word is the smallest piece that can be cut away without a change in the tokens of the rest. For WordPiece, it is a
 * run between white space and punctuation.
 */
export interface WordSpans {
  /** Number of words. The arrays may be longer. */
  readonly count: number
  /** UTF-16 offset of each word's start, ascending. */
  readonly starts: Uint32Array
  /** UTF-16 offset after each word's end; never inside a code point. */
  readonly ends: Uint32Array
  /** Number of tokens of each word; 0 for characters that the model drops. */
  readonly tokens: Uint16Array
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

/**
 * Splits text into the tokens that one embedding model reads.
 *
 * All methods are synchronous, pure and deterministic, and never throw. The chunker calls them in slices on the host's
 * event loop.
 */
export interface Tokenizer {
  /** Number of tokens that the model adds to every input, such as `[CLS]` and `[SEP]`. */
  readonly specialTokens: number
  /**
   * Id of the token that replaces text outside the vocabulary. A search gives the words of a question more weight if
   * the question has such tokens. Undefined if every text has tokens of its own, as with a vocabulary of bytes.
   */
  readonly unknownId?: number

  /**
   * Finds the words of a text.
   *
   * - Every character that is not white space is in exactly one word.
   * - Words come in the order of the text and do not overlap.
   * - A run that is so long that the model would read it as one unknown token is cut into words that the model can
   *   read.
   * - No word has more than 512 UTF-16 units. A longer run of characters that the model drops is cut too.
   * - A slice that begins and ends at word borders has as many tokens as its words together.
   * - An empty text has no words.
   */
  split(text: string): WordSpans

  /**
   * Encodes the whole text: the words of {@link split}, one by one. `encode(text).ids.length` equals `count(text)`.
   */
  encode(text: string): Encoding

  /**
   * Returns the text in the form for {@link EmbeddingModel.embed}. It has a break wherever {@link split} cut a run that
   * the model would read as one unknown token. Most texts stay unchanged. `count(readable(text))` equals `count(text)`.
   */
  readable(text: string): string

  /** Counts the tokens of a text, without special tokens. */
  count(text: string): number
}
