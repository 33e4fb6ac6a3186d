import type { Document } from '../../../src/index.js'
import type { FolderFile } from '../../node-kit/index.js'

/** Key of the metadata that holds the path of a document's file below the folder, or the list of its paths. */
export const PATH_KEY = 'path'

/** The paths of one document take at most this part of the 16,384 bytes that its metadata may have. */
const MAX_PATHS_BYTES = 8_000

/** A file with the hash of its bytes. */
export interface HashedFile extends FolderFile {
  readonly sha256: string
}

/** Files with the same name and bytes, which share one document. */
export interface FileGroup {
  readonly files: readonly [HashedFile, ...HashedFile[]]
  /** The value of {@link PATH_KEY} that their document gets. */
  readonly path: string | string[]
}

export interface KnownGroup extends FileGroup {
  readonly document: Document
}

/** The work that makes a context what a folder is. */
export interface SyncPlan {
  readonly add: readonly FileGroup[]
  /** Changed files with the documents of their paths, and renamed files with the documents of their bytes. */
  readonly replace: readonly KnownGroup[]
  /** Files that have their document. The document of a failed one says why. */
  readonly unchanged: readonly KnownGroup[]
  /** Documents without a file. */
  readonly extra: readonly Document[]
}

export interface SyncRules {
  /** True for a path whose file the folder may have, although it is not among the files: its document stays. */
  readonly isUnknown: (path: string) => boolean
  /** True to rename documents that no file of a folder made, too. */
  readonly renamesUploaded: boolean
}

/** @returns the paths of the files that a document was made from; none for a document of another origin */
export function pathsOf({ metadata }: Document): readonly string[] {
  const value = metadata[PATH_KEY]
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.filter((path) => typeof path === 'string').map((path) => path.normalize('NFC'))
}

/**
 * Finds the document of each file, by the first of these rules that fits:
 *
 * 1. The document has the path and the bytes of the file.
 * 2. The document has the bytes of the file, and its own paths are gone: the file was moved or renamed. A path is gone
 *    too if the file that is there now was itself moved or renamed, as when two files swap their names.
 * 3. The document has the path of the file, which was changed.
 * 4. The document has the name and the bytes of the file. It belongs to both files.
 * 5. The document has no path and the name of the file, if the folder has one such file and the context one such document.
 */
export function planSync(files: readonly HashedFile[], documents: readonly Document[], rules: SyncRules): SyncPlan {
  return new Planner(files, documents, rules).plan()
}

class Planner {
  readonly #fileAt: ReadonlyMap<string, HashedFile>
  readonly #atPath: ReadonlyMap<string, readonly Document[]>
  readonly #unchanged = new Map<Document, HashedFile[]>()
  readonly #replaced = new Map<Document, HashedFile[]>()
  readonly #added = new Map<string, HashedFile[]>()
  readonly #done = new Set<HashedFile>()

  constructor(
    private readonly files: readonly HashedFile[],
    private readonly documents: readonly Document[],
    private readonly rules: SyncRules,
  ) {
    this.#fileAt = new Map(files.map((file) => [file.path, file]))
    this.#atPath = groupBy(documents, pathsOf)
  }

  plan(): SyncPlan {
    for (const file of this.files) {
      const document = this.#atPath.get(file.path)?.find((each) => hasBytes(each, file))
      if (document !== undefined) this.#take(document, file)
    }
    for (const [file, document] of this.#moved()) this.#take(document, file)
    for (const file of this.#rest()) {
      const document = this.#freeAt(file.path)
      if (document !== undefined) this.#put(this.#replaced, document, file)
    }
    this.#share()
    this.#takeUploaded()
    for (const file of this.#rest()) this.#put(this.#added, keyOf(file), file)
    const known = (groups: ReadonlyMap<Document, readonly HashedFile[]>): KnownGroup[] =>
      [...groups].map(([document, files]) => ({ document, ...this.#groupOf(files, document) }))
    return {
      add: [...this.#added.values()].map((files) => this.#groupOf(files)),
      replace: known(this.#replaced),
      unchanged: known(this.#unchanged),
      extra: this.documents.filter((document) => this.#isFree(document) && !this.#mayHaveFile(document)),
    }
  }

  /** The files that were moved or renamed, with their documents. */
  #moved(): ReadonlyMap<HashedFile, Document> {
    const { renamesUploaded } = this.rules
    const leaving = new Map<HashedFile, Document>()
    const free = this.documents.filter((document) => this.#isFree(document) && !this.#mayHaveFile(document))
    const waiting = groupBy(free, (document) => [newestHash(document)])
    const used = new Set<Document>()
    const take = (isFit: (document: Document, file: HashedFile) => boolean): void => {
      for (const file of this.#rest().filter((each) => !leaving.has(each))) {
        const document = waiting.get(file.sha256)?.find((each) => !used.has(each) && isFit(each, file))
        if (document === undefined) continue
        used.add(document)
        leaving.set(file, document)
      }
    }
    take((document, { name }) => nameOf(document) === name)
    take((document) => (pathsOf(document).length === 0 ? renamesUploaded : this.#filesOf(document).length === 0))
    take((document) => pathsOf(document).length > 0)
    // Removing one of them may keep others at their paths.
    for (let isStable = false; !isStable; ) {
      const left = new Set(leaving.values())
      const stays = [...leaving].filter(([file, document]) => {
        const isPathTaken = this.#filesOf(document).some((each) => !leaving.has(each))
        const former = this.#freeAt(file.path)
        return isPathTaken || (former !== undefined && !left.has(former))
      })
      for (const [file] of stays) leaving.delete(file)
      isStable = stays.length === 0
    }
    return leaving
  }

  /** Gives files with a name and bytes that a document has, or will have, this document. */
  #share(): void {
    const kept = this.documents.filter((document) => !this.#replaced.has(document))
    const byKey = new Map(kept.map((document) => [`${document.contentHash} ${nameOf(document)}`, document]))
    const replacedByKey = new Map(
      [...this.#replaced].flatMap(([document, files]) => files.map((file) => [keyOf(file), document])),
    )
    for (const file of this.#rest()) {
      const [same, replaced] = [byKey.get(keyOf(file)), replacedByKey.get(keyOf(file))]
      if (same !== undefined) this.#put(this.#unchanged, same, file)
      else if (replaced !== undefined) this.#put(this.#replaced, replaced, file)
    }
  }

  #takeUploaded(): void {
    const filesByName = groupBy(this.#rest(), ({ name }) => [name])
    const uploaded = this.documents.filter((document) => this.#isFree(document) && pathsOf(document).length === 0)
    const byName = groupBy(uploaded, (document) => [nameOf(document)])
    for (const [name, [file, ...others]] of filesByName) {
      const [document, ...more] = byName.get(name) ?? []
      if (file === undefined || document === undefined || others.length + more.length > 0) continue
      this.#put(this.#replaced, document, file)
    }
  }

  /** Gives a file the document of its bytes. The document may have another name: the file was renamed. */
  #take(document: Document, file: HashedFile): void {
    this.#put(nameOf(document) === file.name ? this.#unchanged : this.#replaced, document, file)
  }

  #put<Key>(groups: Map<Key, HashedFile[]>, key: Key, file: HashedFile): void {
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [file])
    else group.push(file)
    this.#done.add(file)
  }

  #rest(): readonly HashedFile[] {
    return this.files.filter((file) => !this.#done.has(file))
  }

  #isFree(document: Document): boolean {
    return !this.#unchanged.has(document) && !this.#replaced.has(document)
  }

  #freeAt(path: string): Document | undefined {
    return this.#atPath.get(path)?.find((document) => this.#isFree(document))
  }

  /** The files at the paths of a document that have no document yet. */
  #filesOf(document: Document): HashedFile[] {
    return pathsOf(document).flatMap((path) => {
      const file = this.#fileAt.get(path)
      return file === undefined || this.#done.has(file) ? [] : [file]
    })
  }

  #mayHaveFile(document: Document): boolean {
    const paths = pathsOf(document)
    return (paths.length === 0 ? [nameOf(document)] : paths).some((path) => this.rules.isUnknown(path))
  }

  /** @param document that of the files, if they have one */
  #groupOf([file, ...others]: readonly HashedFile[], document?: Document): FileGroup {
    if (file === undefined) throw new RangeError('a group has a file')
    const unknown = document === undefined ? [] : pathsOf(document).filter((path) => this.rules.isUnknown(path))
    const paths = [...new Set([...unknown, file.path, ...others.map(({ path }) => path)])].sort()
    return { files: [file, ...others], path: toValue(paths) }
  }
}

/** The value for the metadata: as many of the paths as have room. */
function toValue(paths: readonly string[]): string | string[] {
  let leftBytes = MAX_PATHS_BYTES
  const fitting = paths.filter((path) => {
    leftBytes -= Buffer.byteLength(JSON.stringify(path)) + 1
    return leftBytes >= 0
  })
  return fitting.length > 1 ? fitting : (paths[0] ?? '')
}

/** Hash of the bytes of the document, or of the replacement that it waits for. */
function newestHash({ contentHash, replacement }: Document): string {
  return (replacement ?? { contentHash }).contentHash
}

function hasBytes(document: Document, { sha256 }: HashedFile): boolean {
  return newestHash(document) === sha256
}

/** The name of the file of a document. */
export function nameOf({ originalName }: Document): string {
  return originalName.normalize('NFC')
}

function keyOf({ sha256, name }: HashedFile): string {
  return `${sha256} ${name}`
}

function groupBy<Item>(
  items: readonly Item[],
  keysOf: (item: Item) => readonly string[],
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [item])
      else group.push(item)
    }
  }
  return groups
}
