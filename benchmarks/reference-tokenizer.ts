import { join } from 'node:path'
import { MODEL, MODELS } from './default-model.js'
import { peer, versionOf } from './peers.js'

/** The tokenizer in Rust that the model was trained with, as fastembed brings it. */
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
  /** With its version. */
  readonly name: string
  /** The tokens of each text, without special ones. A text takes one thread. */
  readonly encode: (texts: readonly string[]) => Promise<readonly number[][]>
  /** How many there are of each text, which leaves them where they are. */
  readonly count: (texts: readonly string[]) => Promise<readonly number[]>
}

/** @returns undefined where it is not installed */
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
