import { MemoryEmbeddingModel } from '../../../adapters/memory/index.js'
import { gate } from './word-engine.js'

/** Embeds after its gate is open. */
export class HeldModel extends MemoryEmbeddingModel {
  readonly gate: ReturnType<typeof gate> = gate()
  /** Number of embeddings that began. */
  begun = 0

  override async embed(...call: Parameters<MemoryEmbeddingModel['embed']>): Promise<Float32Array> {
    this.begun += 1
    await this.gate.opened
    return await super.embed(...call)
  }
}
