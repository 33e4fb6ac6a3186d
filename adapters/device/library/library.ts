import * as library from '@huggingface/tokenizers'
import { ModelError, messageOf } from '../../../src/ports/index.js'
import { parseJson, readModelFile, TOKENIZER_CONFIG_FILE, TOKENIZER_FILE } from '../model-folder.js'

/** A tokenizer of the library. It has no positions of tokens, and never cuts or pads by itself. */
export interface ReadTokenizer {
  readonly normalizer: ((text: string) => string) | null
  readonly model: {
    /** Undefined if every text has tokens of its own. */
    readonly unk_token_id?: number | undefined
    /** Defined for WordPiece alone. */
    readonly max_input_chars_per_word?: number
  }
  encode(
    text: string,
    options?: { readonly add_special_tokens: boolean },
  ): {
    /** An id is undefined if a token is unknown, and the vocabulary has no token for that. */
    readonly ids: readonly (number | undefined)[]
    /** The tokens, as the vocabulary writes them. */
    readonly tokens: readonly string[]
  }
}

/** The library's own types name their files without an extension, which the compiler does not find. */
const { Tokenizer } = library as unknown as {
  readonly Tokenizer: new (file: object, options: object) => ReadTokenizer
}

/**
 * Reads a tokenizer of any kind by the library `@huggingface/tokenizers`. A vocabulary of 250,000 pieces takes a second.
 *
 * @throws ModelError `ERR_MODEL_MISSING` without a `tokenizer.json`, `ERR_MODEL_UNSUPPORTED` if the library cannot read it
 */
export async function readTokenizer(folder: string): Promise<ReadTokenizer> {
  const file = await readModelFile(folder, TOKENIZER_FILE)
  // A few tokenizers have options there. Most say all in tokenizer.json.
  const options = await readModelFile(folder, TOKENIZER_CONFIG_FILE).catch(() => undefined)
  try {
    return new Tokenizer(objectOf(file), options === undefined ? {} : objectOf(options))
  } catch (error) {
    const reason = messageOf(error)
    throw new ModelError(
      'ERR_MODEL_UNSUPPORTED',
      `the library @huggingface/tokenizers cannot read the tokenizer.json of the model in ${folder}: use another model; it says: ${reason}`,
      { cause: error },
    )
  }
}

/** The library refuses what is no object. */
function objectOf(file: Buffer): object {
  return parseJson(file.toString('utf8')) as object
}

/** The library writes warnings about files that it does not understand. A log must have no texts. */
export function silenceConsole(): void {
  for (const level of ['log', 'info', 'warn', 'error'] as const) console[level] = () => undefined
}
