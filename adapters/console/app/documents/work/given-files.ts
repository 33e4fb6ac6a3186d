import type { DropItem } from 'react-aria-components'
import type { GivenFile } from './upload-queue.js'

/** Files that a system makes by itself. */
const SYSTEM_FILES: ReadonlySet<string> = new Set(['Thumbs.db', 'desktop.ini'])

/** Files that the user gave, and how many hidden ones of folders were left out. */
export interface GivenFiles {
  readonly files: readonly GivenFile[]
  readonly hidden: number
}

/** The files of a file dialog: single ones, or those of a folder. */
export function chosenFiles(list: FileList): GivenFiles {
  const files = [...list].map((file) => {
    const folders = file.webkitRelativePath.split('/').slice(0, -1)
    return givenFile(file, folders)
  })
  return withoutHidden(files)
}

/** The files that were dropped, with those of dropped folders. */
export async function droppedFiles(items: readonly DropItem[]): Promise<GivenFiles> {
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
