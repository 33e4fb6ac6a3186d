import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { DeviceTokenizer } from './device-tokenizer.js'
import { LibraryTokenizer } from './library/library-tokenizer.js'
import { readModelFile, TOKENIZER_FILE } from './model-folder.js'
import { isBertWordPiece } from './word-piece/tokenizer-file.js'
import { WordPieceTokenizer } from './word-piece/word-piece-tokenizer.js'

/** The tokenizer of a model: the adapter's own for BERT's WordPiece, or that of the library `@huggingface/tokenizers`. */
export type TokenizerKind = 'word-piece' | '@huggingface/tokenizers'

/** The own tokenizers in use, by the checksum of their file: all engines of a process share them. */
const shared = new Map<string, WeakRef<WordPieceTokenizer>>()

/** Finds the tokenizer by the model's file. A file that cannot be read is no reason for the library. */
export async function tokenizerKindOf(folder: string): Promise<TokenizerKind> {
  const file = await readModelFile(folder, TOKENIZER_FILE).catch(() => undefined)
  return file === undefined || isBertWordPiece(file) ? 'word-piece' : '@huggingface/tokenizers'
}

/**
 * Opens the tokenizer in a folder with the file `tokenizer.json`. It is enough for a remote model: its host counts
 * tokens here. Close it at the end.
 *
 * @throws ModelError `ERR_MODEL_MISSING`, `ERR_MODEL_UNSUPPORTED`
 */
export async function openTokenizer(folder: string): Promise<DeviceTokenizer> {
  const file = await readModelFile(folder, TOKENIZER_FILE)
  if (!isBertWordPiece(file)) return await LibraryTokenizer.open(resolve(folder))
  const checksum = createHash('sha256').update(file).digest('hex')
  const known = shared.get(checksum)?.deref()
  if (known !== undefined) return known
  const tokenizer = await WordPieceTokenizer.open(file)
  shared.set(checksum, new WeakRef(tokenizer))
  return tokenizer
}
