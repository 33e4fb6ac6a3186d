import { join } from 'node:path'
import { MODEL, MODELS } from '../harness/default-model.js'
import { peer, versionOf } from '../harness/peers.js'

/** The Rust tokenizer that the model was trained with, from the package of fastembed. */
interface Library {
  readonly Tokenizer: {
    fromFile(path: string): {
      disableTruncation(): void
      disablePadding(): void
      encodeBatch(texts: string[], options: object): Promise<{ getIds(): number[]; getLength(): number }[]>
    }
  }
}

const LIBRARY = '@anush008/tokenizers'

export interface ReferenceTokenizer {
  /** The name with the version. */
  readonly name: string
  /** The tokens of each text, without special tokens. A text uses one thread. */
  readonly encode: (texts: readonly string[]) => Promise<readonly number[][]>
  /** The number of tokens of each text. The tokens themselves stay in Rust. */
  readonly count: (texts: readonly string[]) => Promise<readonly number[]>
}

/** @returns undefined if it is not installed */
export async function openReferenceTokenizer(): Promise<ReferenceTokenizer | undefined> {
  const library = await peer<Library>(LIBRARY)
  if (library === undefined) return undefined
  const tokenizer = library.Tokenizer.fromFile(join(MODELS, MODEL, 'tokenizer.json'))
  tokenizer.disableTruncation()
  tokenizer.disablePadding()
  const encodings = async (texts: readonly string[]) =>
    await tokenizer.encodeBatch([...texts], { addSpecialTokens: false })
  return {
    name: `Hugging Face tokenizers (Rust, ${LIBRARY} ${versionOf(LIBRARY)})`,
    encode: async (texts) => (await encodings(texts)).map((encoding) => encoding.getIds()),
    count: async (texts) => (await encodings(texts)).map((encoding) => encoding.getLength()),
  }
}
