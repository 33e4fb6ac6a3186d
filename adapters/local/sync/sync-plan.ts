import type { Document } from '../../../src/index.js'
import type { FolderFile } from './folder-files.js'

/** Key of the metadata that holds the path of a document's file below the folder. */
export const PATH_KEY = 'path'

/** A file with the hash of its bytes. */
export interface HashedFile extends FolderFile {
  readonly sha256: string
}

/** The work that makes a context what a folder is. */
export interface SyncPlan {
  readonly add: readonly HashedFile[]
  readonly replace: readonly { readonly file: HashedFile; readonly document: Document }[]
  /** Files that have their document. The document of a failed one says why. */
  readonly unchanged: readonly { readonly file: HashedFile; readonly document: Document }[]
  /** Those of them whose document has no path, or the path of a file that is gone. */
  readonly moved: readonly { readonly file: HashedFile; readonly document: Document }[]
  /** Documents without a file. */
  readonly extra: readonly Document[]
}

/** @returns the path of the file that a document was made from; undefined for a document of another origin */
export function pathOf({ metadata }: Document): string | undefined {
  const path = metadata[PATH_KEY]
  return typeof path === 'string' ? path : undefined
}

/**
 * Finds the document of each file. The path in its metadata counts first, then its name and bytes. The name alone counts
 * if the folder has one such file and the context one such document. Several files with the same name and bytes share
 * one document.
 */
export function planSync(files: readonly HashedFile[], documents: readonly Document[]): SyncPlan {
  const byPath = new Map<string, Document>()
  for (const document of documents) {
    const path = pathOf(document)
    if (path !== undefined && !byPath.has(path)) byPath.set(path, document)
  }
  const [add, replace, unchanged, moved]: [HashedFile[], Change[], Change[], Change[]] = [[], [], [], []]
  const paths = new Set(files.map(({ path }) => path))
  const withoutPath: HashedFile[] = []
  for (const file of files) {
    const document = byPath.get(file.path)
    if (document === undefined) withoutPath.push(file)
    else (hasBytes(document, file) ? unchanged : replace).push({ file, document })
  }
  const replaced = new Set(replace.map(({ document }) => document))
  const byBytes = new Map(
    documents.filter((document) => !replaced.has(document)).map((document) => [bytesKey(document), document]),
  )
  const filesByName = countBy(withoutPath, ({ name }) => name)
  const used = new Set([...replace, ...unchanged].map(({ document }) => document))
  const unnamed = documents.filter((document) => !used.has(document) && pathOf(document) === undefined)
  const unnamedCounts = countBy(unnamed, ({ originalName }) => originalName)
  const unnamedByName = new Map(unnamed.map((document) => [document.originalName, document]))
  for (const file of withoutPath) {
    const same = byBytes.get(`${file.sha256} ${file.name}`)
    if (same !== undefined) {
      unchanged.push({ file, document: same })
      if (!used.has(same) && !paths.has(pathOf(same) ?? '')) moved.push({ file, document: same })
      used.add(same)
      continue
    }
    const isOnly = filesByName.get(file.name) === 1 && unnamedCounts.get(file.name) === 1
    const named = isOnly ? unnamedByName.get(file.name) : undefined
    const document = named !== undefined && !used.has(named) ? named : undefined
    if (document === undefined) add.push(file)
    else {
      replace.push({ file, document })
      used.add(document)
    }
  }
  return { add, replace, unchanged, moved, extra: documents.filter((document) => !used.has(document)) }
}

interface Change {
  readonly file: HashedFile
  readonly document: Document
}

/** True if the document, or the replacement that it waits for, has the bytes of the file. */
function hasBytes({ contentHash, replacement }: Document, { sha256 }: HashedFile): boolean {
  return (replacement ?? { contentHash }).contentHash === sha256
}

function bytesKey({ contentHash, originalName }: Document): string {
  return `${contentHash} ${originalName}`
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}
