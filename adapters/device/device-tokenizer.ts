import { InvalidInputError, type Tokenizer } from '../../src/ports/index.js'

/** Options of {@link DeviceTokenizer.inputs}. */
export interface InputOptions {
  /** Text before each text. */
  readonly prefix: string
  /** The most tokens of an input, with special tokens and prefix. */
  readonly windowTokens: number
  /** True if it overtakes calls that are not urgent. */
  readonly isUrgent: boolean
  /** The index of the first text among the caller's texts, for errors. */
  readonly firstRow: number
  readonly signal: AbortSignal
}

/** The tokenizer of a model on this device. */
export interface DeviceTokenizer extends Tokenizer {
  /** True if it cannot be used any more: it was closed, or its thread has ended. */
  readonly hasEnded: boolean
  /**
   * The number of texts to encode at a time. The model computes the first ones while the next are encoded, and pads
   * fewer tokens the more texts it gets.
   */
  readonly textsPerCall: number

  /**
   * Makes the inputs of the model: for each text the ids of prefix and text, between special tokens.
   *
   * @throws InvalidInputError for a text that is longer than the window
   */
  inputs(texts: readonly string[], options: InputOptions): Promise<readonly Int32Array[]>

  /** Frees its thread, if it has one. */
  close(): Promise<void>
}

/** @param row the index of the text among the caller's texts */
export function tooLongError(row: number, windowTokens: number): InvalidInputError {
  return new InvalidInputError(
    `texts[${row}]`,
    `has more tokens than the model's window of ${windowTokens}: shorten it`,
  )
}
