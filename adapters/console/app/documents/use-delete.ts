import { useTexts } from '../texts/phrases.js'
import type { Listed } from './document.js'
import { useDocumentErrorText } from './error-texts.js'
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
