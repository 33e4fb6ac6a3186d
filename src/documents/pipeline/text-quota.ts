import { QuotaExceededError } from '../../kernel/errors.js'
import type { ContextRecord, DocumentRecord, Repositories, Storage } from '../../ports/index.js'
import { quotaBytesOf, WITH_CONTEXT_LOCK } from '../upload/upload-quota.js'

/** Characters of text that come with each byte of a file. Ordinary files have fewer. */
const FREE_CHARACTERS_PER_BYTE = 20
/** Any file may have this much text. */
const FREE_CHARACTERS = 1_048_576
/** Characters that a document holds ahead of its text: a transaction for each batch of chunks would be slow. */
const STEP_CHARACTERS = 4 * 1_048_576

/** The characters of a text that count in the quota. Each counts as a byte. */
export function excessOf(sizeBytes: number, characters: number): number {
  return Math.max(0, characters - Math.max(FREE_CHARACTERS, sizeBytes * FREE_CHARACTERS_PER_BYTE))
}

/** The part of its context's quota that the text of a document holds, while it grows. */
export class TextQuota {
  #heldBytes: number

  constructor(
    private readonly storage: Storage,
    private readonly document: DocumentRecord,
    private readonly context: ContextRecord,
  ) {
    this.#heldBytes = document.excessBytes
  }

  /**
   * Call this before chunks of the text are written.
   * @param characters length of the text so far
   * @throws QuotaExceededError if it does not fit
   */
  async hold(characters: number): Promise<void> {
    const { sizeBytes, generation } = this.document
    const excessBytes = excessOf(sizeBytes, characters)
    // A shadow has the text of a version that counts already.
    if (excessBytes <= this.#heldBytes || generation !== null) return
    this.#heldBytes = await this.storage.transaction(async (repositories) => {
      const { contexts, documents } = repositories
      await contexts.lock(this.context.id)
      const document = await documents.get(this.document.id)
      // The run of a deleted document ends soon.
      if (document === undefined) return excessBytes
      const mostBytes = await this.#mostExcessBytes(repositories, document)
      if (excessBytes > mostBytes) throw this.#exceeded(characters)
      const heldBytes = Math.min(mostBytes, excessBytes + STEP_CHARACTERS)
      await documents.update(document.id, { excessBytes: heldBytes })
      return heldBytes
    }, WITH_CONTEXT_LOCK)
  }

  /** The most excess that the document may have now. A replacement has the room of the version that it replaces. */
  async #mostExcessBytes({ contexts, documents, uploads }: Repositories, document: DocumentRecord): Promise<number> {
    const { id, maxSizeBytes } = (await contexts.get(this.context.id)) ?? this.context
    const replaced = document.replaces === null ? undefined : await documents.get(document.replaces)
    const ownBytes = Math.max(quotaBytesOf(document), replaced === undefined ? 0 : quotaBytesOf(replaced))
    return maxSizeBytes - ((await uploads.usedBytes(id)) - ownBytes) - document.sizeBytes
  }

  #exceeded(characters: number): QuotaExceededError {
    const { id, maxSizeBytes } = this.context
    const { sizeBytes } = this.document
    return new QuotaExceededError(
      `The text does not fit in the quota: this file of ${sizeBytes} bytes has ${characters} characters or more. ` +
        `${FREE_CHARACTERS_PER_BYTE} for each byte and at least ${FREE_CHARACTERS} are free, the others count in the ` +
        `${maxSizeBytes} bytes of context ${id} (settings.maxSizeBytes): split the file, delete documents, or raise that limit`,
    )
  }
}
