import { createRequire, Module } from 'node:module'
import { messageOf, UnsupportedError } from '../../../src/ports/index.js'

const PACKAGE = '@xenova/transformers'

/** The parts of `@xenova/transformers` that the adapter uses. A host installs the package if it has such a model. */
interface Library {
  readonly env: {
    allowRemoteModels: boolean
    localModelPath: string
    useFSCache: boolean
    useBrowserCache: boolean
  }
  readonly AutoTokenizer: {
    from_pretrained(name: string, options: { readonly local_files_only: true }): Promise<PreTrainedTokenizer>
  }
}

type LibraryNormalizer = ((text: string) => string) & {
  /** BERT's normaliser has this method. */
  stripAccents?: (text: string) => string
}

/** A tokenizer of the library. It has no positions of tokens, and never cuts or pads by itself. */
export interface PreTrainedTokenizer {
  readonly unk_token_id?: number
  readonly normalizer: LibraryNormalizer | null
  readonly model: {
    /** Defined for WordPiece alone. */
    readonly max_input_chars_per_word?: number
    /** Words that BPE has seen. It grows without a limit. */
    readonly cache?: Map<string, unknown>
    /** An id is undefined if a token is unknown, and the vocabulary has no token for that. */
    convert_tokens_to_ids(tokens: readonly string[]): (number | undefined)[]
  }
  /** Returns the tokens of a text, as the vocabulary writes them, without special tokens. */
  _encode_text(text: string): string[]
  /** Returns the ids of a text, with special tokens. */
  encode(text: string): (number | undefined)[]
}

/**
 * Packages that the library asks for, and that no tokenizer needs: one reads images, the others run models. The native
 * runtime may only be loaded by threads that never end.
 */
const NOT_NEEDED = ['sharp', 'onnxruntime-web', 'onnxruntime-node']

/** @throws UnsupportedError if the package is not installed */
export function requireLibrary(model: string): void {
  try {
    createRequire(import.meta.url).resolve(PACKAGE)
  } catch (error) {
    throw new UnsupportedError(
      `the tokenizer of the model ${model} needs the package ${PACKAGE}: run "npm install ${PACKAGE}", or use a model with BERT's WordPiece`,
      { cause: error },
    )
  }
}

/**
 * Loads the library for its tokenizers, with empty modules in the place of packages that they do not use.
 *
 * @throws UnsupportedError
 */
export async function loadLibrary(): Promise<Library> {
  try {
    const require = createRequire(createRequire(import.meta.url).resolve(PACKAGE))
    for (const name of NOT_NEEDED) replaceByEmpty(require, name)
    const library = (await import('@xenova/transformers')) as unknown as Library
    library.env.allowRemoteModels = false
    library.env.useFSCache = false
    library.env.useBrowserCache = false
    return library
  } catch (error) {
    const reason = messageOf(error)
    throw new UnsupportedError(`the package ${PACKAGE} cannot be loaded: install version 2.17; it says: ${reason}`, {
      cause: error,
    })
  }
}

/** An import of a CommonJS package takes its module from the cache of `require`. */
function replaceByEmpty(require: NodeJS.Require, name: string): void {
  const path = require.resolve(name)
  const empty = new Module(path)
  empty.filename = path
  empty.loaded = true
  // The library reads these members while it loads.
  empty.exports = { InferenceSession: Object, Tensor: Object, env: { wasm: {} } }
  require.cache[path] ??= empty
}

/**
 * Makes a tokenizer drop all marks that BERT's reference drops. The library drops those of Latin scripts, so its tokens
 * of Hindi, Tamil and others would be unknown to the model.
 */
export function correctMarks({ normalizer }: PreTrainedTokenizer): void {
  if (normalizer?.stripAccents === undefined) return
  normalizer.stripAccents = (text) => text.normalize('NFD').replaceAll(/\p{Mn}/gu, '')
}

/** The library writes warnings, and the tokens of a text after an error. A log must not have texts. */
export function silenceConsole(): void {
  for (const level of ['log', 'info', 'warn', 'error'] as const) console[level] = () => undefined
}
