import { type ReactElement, useEffect, useState } from 'react'
import { DropZone, FileTrigger, Text } from 'react-aria-components'
import { useErrorText } from '../../api/error-texts.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { TEXTS } from '../texts.js'
import { chosenFiles, droppedFiles, type GivenFiles } from '../work/given-files.js'
import type { UploadQueue } from '../work/upload-queue.js'

/** The place for new files: dropped, pasted, or chosen. */
export function UploadArea({ uploads }: { readonly uploads: UploadQueue }): ReactElement {
  const texts = useTexts(TEXTS)
  const errorText = useErrorText()
  const [remark, setRemark] = useState('')
  useEffect(() => {
    // A file that misses the place would take the browser away from the page.
    const ignore = (event: DragEvent): void => event.preventDefault()
    window.addEventListener('dragover', ignore)
    window.addEventListener('drop', ignore)
    return () => {
      window.removeEventListener('dragover', ignore)
      window.removeEventListener('drop', ignore)
    }
  }, [])
  const add = ({ files, hidden }: GivenFiles): void => {
    uploads.add(files)
    setRemark(files.length === 0 ? texts.noFiles : hidden > 0 ? texts.left(hidden) : '')
  }
  const choose = (files: FileList | null): void => {
    if (files !== null) add(chosenFiles(files))
  }
  return (
    <>
      <DropZone
        className="docs-drop"
        getDropOperation={() => 'copy'}
        onDrop={({ items }) => {
          setRemark(texts.collecting)
          droppedFiles(items).then(add, (error: unknown) => setRemark(errorText(error)))
        }}
      >
        <Text slot="label" className="docs-drop-label">
          {texts.drop}
        </Text>
        <div className="docs-drop-buttons">
          <FileTrigger allowsMultiple onSelect={choose}>
            <Button kind="primary">{texts.chooseFiles}</Button>
          </FileTrigger>
          <FileTrigger acceptDirectory onSelect={choose}>
            <Button>{texts.chooseFolder}</Button>
          </FileTrigger>
        </div>
        <span className="hint">{texts.dropHint}</span>
      </DropZone>
      <p role="status" className="soft docs-remark">
        {remark}
      </p>
    </>
  )
}
