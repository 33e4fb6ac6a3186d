/**
 * The words of a text, side by side in arrays of equal length.
 *
 * A word is the smallest piece that may be cut away without changing how the
 * rest is tokenised: for WordPiece a run between white space and punctuation.
 */
export interface WordSpans {
  /** How many words; the arrays may be longer. */
  readonly count: number
  /** UTF-16 offset at which each word begins, ascending. */
  readonly starts: Uint32Array
  /** UTF-16 offset just behind each word; never inside a code point. */
  readonly ends: Uint32Array
  /** Tokens each word becomes; 0 for characters that the model drops. */
  readonly tokens: Uint16Array
}

/** Tokens of a text with the place of each, in arrays of equal length. */
export interface Encoding {
  /** Ids in the model's vocabulary, without special tokens at either end. */
  readonly ids: Int32Array
  /** UTF-16 offset at which each token begins. */
  readonly starts: Uint32Array
  /** UTF-16 offset just behind each token. */
  readonly ends: Uint32Array
}

/**
 * Cuts text into the tokens that one embedding model reads.
 *
 * Synchronous and pure: the chunker calls it in slices on the host's event loop.
 */
export interface Tokenizer {
  /** Tokens that the model adds to every input, such as `[CLS]` and `[SEP]`. */
  readonly specialTokens: number
  /**
   * Id of the token that stands for what the vocabulary does not have. Searches trust the words of a question more where
   * its text has such tokens. None where every text has tokens of its own, as with bytes.
   */
  readonly unknownId?: number

  /**
   * Finds the words of a text.
   *
   * - Every character that is not white space lies in exactly one word.
   * - Words come in the text's order and do not overlap.
   * - A run that the model would read as one unknown token because of its
   *   length is cut into words that it can read.
   * - No word has more than 512 UTF-16 units: a longer run of characters that the model drops is cut too.
   * - The tokens of a slice that begins and ends at the borders of words are
   *   the sum of its words' tokens.
   * - Deterministic; never throws; an empty text has no words.
   */
  split(text: string): WordSpans

  /**
   * Tokens of the whole text: the words of {@link split}, encoded one by one.
   *
   * - `encode(text).ids.length` equals {@link count}.
   */
  encode(text: string): Encoding

  /**
   * The text as the model is to be given it: with a break wherever {@link split} cut a run
   * that the model would read as one unknown token. Most texts come back as they are.
   *
   * - `count(readable(text))` equals `count(text)`.
   */
  readable(text: string): string

  /** The number of tokens of a text, special tokens not counted. */
  count(text: string): number
}
