import { useApi } from '../api/api.js'
import { useTexts } from '../texts/phrases.js'
import type { Listed } from './document.js'
import { useDocumentErrorText } from './error-texts.js'
import { readOriginal } from './original.js'
import { TEXTS } from './texts.js'
import { useContextWork } from './work/context-work.js'

type Deleted = Pick<Listed, 'id' | 'displayName' | 'size' | 'replacement'>

/** A function that deletes documents, with a message to undo it. @param onDeleted gets the ids once the server has deleted them */
export function useDelete(
  contextId: number,
  onDeleted: (ids: readonly number[]) => void,
): (documents: readonly Deleted[]) => void {
  const texts = useTexts(TEXTS)
  const { errorText } = useDocumentErrorText()
  const { deletions } = useContextWork(contextId)
  return (documents) => {
    const { length } = documents
    deletions.delete({
      documents,
      texts: {
        text: texts.deleted(length, documents[0]?.displayName ?? ''),
        undo: texts.undo,
        tryAgain: texts.tryAgain,
        failed: (count, error) => texts.notDeleted(count, errorText(error)),
      },
      onDeleted,
    })
  }
}

/**
 * A function that has a failed document processed again. The same bytes under the same name are the same document, so it
 * uploads what the server has received before.
 */
export function useRetry(contextId: number): (document: Pick<Listed, 'id' | 'originalName' | 'size'>) => void {
  const api = useApi()
  const { uploads } = useContextWork(contextId)
  return ({ id, originalName, size }) => {
    const read = async (): Promise<Blob> => await readOriginal(api, contextId, id)
    uploads.add([{ name: originalName, size, read, retries: id }])
  }
}
