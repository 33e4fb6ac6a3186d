import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { bundledModel } from '../../../bundled-model.js'
import { tinyGraph, writeModelFiles } from '../../../fixtures/tiny-models.js'

/** The pieces of the bundled vocabulary. */
const PIECES = 30_522

/** Writes a model of 6 MB with the tokenizer of the bundled one, in the layout of transformers.js. */
export async function writeSmallModel(folder: string, files: Readonly<Record<string, object>> = {}): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const name of ['tokenizer.json', 'tokenizer_config.json']) await cp(join(bundledModel, name), join(folder, name))
  await writeModelFiles(folder, {
    'config.json': { model_type: 'bert', hidden_size: 48, max_position_embeddings: 600, pad_token_id: 0 },
    'onnx/model_quantized.onnx': tinyGraph(PIECES),
    ...files,
  })
}
