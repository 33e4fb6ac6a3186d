import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { useLocation } from 'wouter'
import { useApi } from '../../api/api.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { ConfirmDialog } from '../../ui/dialogs.js'
import { toast } from '../../ui/toasts.js'
import type { Detailed } from '../document.js'
import { useDocumentErrorText } from '../error-texts.js'
import { useListAddress } from '../list/filters.js'
import { givenFile } from '../list/upload-area.js'
import { useMayWrite } from '../may-write.js'
import { readOriginal, saveFile } from '../original.js'
import { TEXTS } from '../texts.js'
import { useDelete, useRetry } from '../use-delete.js'
import { useContextWork } from '../work/context-work.js'
import { DETAIL_TEXTS } from './detail-texts.js'
import { EditDialog } from './edit-dialog.js'

interface DocumentActionsProps {
  readonly contextId: number
  readonly document: Detailed
  readonly isFailed: boolean
}

/** The actions of a user for a document. */
export function DocumentActions({ contextId, document, isFailed }: DocumentActionsProps): ReactElement {
  const api = useApi()
  const queries = useQueryClient()
  const { tryAgain } = useTexts(TEXTS)
  const texts = useTexts(DETAIL_TEXTS)
  const { errorText } = useDocumentErrorText()
  const mayWrite = useMayWrite()
  const { uploads } = useContextWork(contextId)
  const [, navigate] = useLocation()
  const [isEdited, setEdited] = useState(false)
  const [asked, setAsked] = useState<File>()
  const retry = useRetry(contextId)
  const deleteDocuments = useDelete(
    contextId,
    () => void queries.invalidateQueries({ queryKey: ['documents', contextId] }),
  )
  const { id, displayName, originalName } = document
  const list = useListAddress(contextId)
  const download = useMutation({
    mutationFn: async () => saveFile(await readOriginal(api, contextId, id), displayName),
    onError: (error) => toast({ text: errorText(error) }),
  })
  const replace = (file: File): void => uploads.add([givenFile(file, [], id)])
  const choose = (files: FileList | null): void => {
    const file = files?.[0]
    if (file === undefined) return
    // A file of another name is perhaps another document.
    if (file.name === originalName) replace(file)
    else setAsked(file)
  }
  const remove = (): void => {
    deleteDocuments([document])
    navigate(list)
  }
  return (
    <div className="docs-bar">
      <Button isPending={download.isPending} onPress={() => download.mutate()}>
        {texts.download}
      </Button>
      {mayWrite && (
        <>
          {isFailed && (
            <Button kind="primary" onPress={() => retry(document)}>
              {tryAgain}
            </Button>
          )}
          <FileTrigger onSelect={choose}>
            <Button>{texts.replace}</Button>
          </FileTrigger>
          <Button onPress={() => setEdited(true)}>{texts.edit}</Button>
          <Button kind="danger" onPress={remove}>
            {texts.remove}
          </Button>
          <ConfirmDialog
            title={texts.replaceTitle(originalName, asked?.name ?? '')}
            action={texts.replaceAction}
            isOpen={asked !== undefined}
            onClose={() => setAsked(undefined)}
            onConfirm={async () => {
              if (asked !== undefined) replace(asked)
            }}
          >
            <p>{texts.replaceText(displayName)}</p>
          </ConfirmDialog>
          {isEdited && <EditDialog contextId={contextId} document={document} onClose={() => setEdited(false)} />}
        </>
      )}
    </div>
  )
}
