import type { Tokenizer } from '../../src/ports/index.js'
import {
  checkModelFile,
  DeviceEmbeddingModel,
  describeFolder,
  type EmbeddingInput,
  type OpenFolderOptions,
  openModelFolder,
  readModelFile,
} from '../node-kit/index.js'
import { runInSlices } from './steps.js'
import { isBertWordPiece, readTokenizerFile } from './tokenizer-file.js'
import { WordPieceTokenizer } from './word-piece-tokenizer.js'

const TOKENIZER = 'tokenizer.json'
/** The tokenizers in use, by the checksum of their file: all engines of a process share them. */
const tokenizers = new Map<string, WeakRef<Tokenizer>>()

/** A sentence embedding model with BERT's WordPiece, on this device. ONNX Runtime computes it in worker threads. */
export class OnnxEmbeddingModel extends DeviceEmbeddingModel {
  /**
   * Opens a model in a folder with the files `tokenizer.json` and `onnx/model_quantized.onnx` or `onnx/model.onnx`, in
   * the layout of transformers.js. This reads only the profile, and makes a missing `profile.json`.
   *
   * @param options `isReadOnly`: a missing `profile.json` is not written
   * @throws ModelError `ERR_MODEL_MISSING`, `ERR_MODEL_CHANGED`, `ERR_MODEL_UNSUPPORTED`
   */
  static async open(folder: string, { isReadOnly = false }: OpenFolderOptions = {}): Promise<OnnxEmbeddingModel> {
    const model = await (isReadOnly ? describeFolder(folder) : openModelFolder(folder))
    return new OnnxEmbeddingModel(model, new URL('./onnx-runner.js', import.meta.url))
  }

  /** True if the model's tokenizer is BERT's WordPiece, or its file cannot be read: then the first use reports that. */
  static async canRead(folder: string): Promise<boolean> {
    const file = await readModelFile(folder, TOKENIZER).catch(() => undefined)
    return file === undefined || isBertWordPiece(file)
  }

  protected async loadTokenizer(): Promise<Tokenizer> {
    await checkModelFile(this.model, TOKENIZER)
    const checksum = this.model.files[TOKENIZER] ?? ''
    const known = tokenizers.get(checksum)?.deref()
    if (known !== undefined) return known
    const file = await readModelFile(this.model.folder, TOKENIZER)
    const { options } = await runInSlices(readTokenizerFile(file))
    const tokenizer = await WordPieceTokenizer.create(options)
    tokenizers.set(checksum, new WeakRef(tokenizer))
    return tokenizer
  }

  /** The threads encode the texts: they have the tokenizer too. */
  protected async encode(texts: readonly string[]): Promise<readonly EmbeddingInput[]> {
    return await Promise.resolve(texts)
  }
}
