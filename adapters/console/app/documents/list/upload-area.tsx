import { type ReactElement, useEffect, useState } from 'react'
import { type DropItem, DropZone, FileTrigger, Text } from 'react-aria-components'
import { useErrorText } from '../../api/error-texts.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { TEXTS } from '../texts.js'
import type { GivenFile, UploadQueue } from '../work/upload-queue.js'

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

/** Files that a system makes by itself. */
const SYSTEM_FILES: ReadonlySet<string> = new Set(['Thumbs.db', 'desktop.ini'])

/** Files that the user gave, and how many hidden ones of folders were left out. */
interface GivenFiles {
  readonly files: readonly GivenFile[]
  readonly hidden: number
}

/** The files of a file dialog: single ones, or those of a folder. */
function chosenFiles(list: FileList): GivenFiles {
  const files = [...list].map((file) => {
    const folders = file.webkitRelativePath.split('/').slice(0, -1)
    return givenFile(file, folders)
  })
  return withoutHidden(files)
}

/** The files that were dropped, with those of dropped folders. */
async function droppedFiles(items: readonly DropItem[]): Promise<GivenFiles> {
  const files: GivenFile[] = []
  const collect = async (item: DropItem, folders: readonly string[]): Promise<void> => {
    if (item.kind === 'file') files.push(givenFile(await item.getFile(), folders))
    if (item.kind !== 'directory') return
    for await (const entry of item.getEntries()) await collect(entry, [...folders, item.name])
  }
  for (const item of items) await collect(item, [])
  return withoutHidden(files)
}

export function givenFile(file: File, folders: readonly string[] = [], replaces?: number): GivenFile {
  const folder = folders.length === 0 ? undefined : folders.join('/')
  return { name: file.name, folder, size: file.size, read: () => Promise.resolve(file), replaces }
}

/** A hidden file that the user chose by itself is meant. */
function withoutHidden(given: readonly GivenFile[]): GivenFiles {
  const files = given.filter(({ name, folder }) => folder === undefined || !isHidden(name, folder))
  return { files, hidden: given.length - files.length }
}

function isHidden(name: string, folder: string): boolean {
  return SYSTEM_FILES.has(name) || [...folder.split('/'), name].some((part) => part.startsWith('.'))
}
