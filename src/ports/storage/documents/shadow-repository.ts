import type { DocumentRecord } from './document-record.js'

/** A live shadow that is not completed. */
export type UncompletedShadow = Pick<DocumentRecord, 'id' | 'generation' | 'originalName' | 'error'>

/** The numbers of a re-index. */
export interface ReindexProgress {
  /** Completed documents whose shadow is completed. */
  readonly done: number
  /** Completed documents. */
  readonly total: number
}

/** The versions that a switch left behind. */
export interface SwitchedVersions {
  /** Ids of current versions and replacements that are not processed yet: each needs a job. */
  readonly unprocessed: readonly number[]
  /** Ids of deleted shadows whose data is in the generation that searches now read: each must be purged. */
  readonly purged: readonly number[]
}

/**
 * Shadows: the versions that a re-index makes of the documents of a context, in the next generation. A shadow has the
 * `generation` that it is for, stands for the version that it `replaces`, and has no metadata of its own. Nobody sees it
 * until the switch makes it the current version. A version has at most one live shadow.
 */
export interface ShadowRepository {
  /**
   * Adds shadows for completed current versions of a context that have none, in the order of their ids.
   *
   * @param limit maximum number of shadows to add
   * @returns the ids of the new shadows; fewer than `limit` only if no version lacks one
   */
  insert(contextId: number, generation: number, limit: number): Promise<readonly number[]>
  /** Lists the live shadows of a context that are not completed, of any generation, ordered by id. */
  listUncompleted(contextId: number): Promise<readonly UncompletedShadow[]>
  /** @returns the ids of the live shadows that stand for these versions */
  shadowsOf(versionIds: readonly number[]): Promise<readonly number[]>
  /** Counts the documents of a context, and those whose shadow is completed. */
  progress(contextId: number, generation: number): Promise<ReindexProgress>
  /** Counts the chunks of the completed current versions of a context. */
  countChunks(contextId: number): Promise<number>
  /**
   * Marks live shadows of a context as deleted.
   *
   * @param which.exceptGeneration leaves out the shadows of this generation
   * @param which.isFailed true for failed shadows only. Default: false
   * @returns the number of them
   */
  delete(
    contextId: number,
    which: { readonly exceptGeneration?: number | undefined; readonly isFailed?: boolean },
    deleted: string,
  ): Promise<number>
  /**
   * Makes the shadows of a generation the current versions of their documents, and marks the versions that they stand
   * for as deleted, with the former generation as their `generation`. Each takes over the names and the metadata of its
   * document as they are now. Versions that are not completed lose what was processed of them; failed ones keep their
   * error. It takes few statements, however many documents there are.
   *
   * Call it in a transaction that has locked the context. Completions at the same time come before it or after it.
   *
   * @param generations.from the present generation
   * @param generations.to the generation of the shadows
   * @returns `undefined` if a completed document has no completed shadow of that generation: the caller rolls the
   *   transaction back
   */
  switch(
    contextId: number,
    generations: { readonly from: number; readonly to: number },
    switched: string,
  ): Promise<SwitchedVersions | undefined>
  /**
   * Lists deleted versions of a context with a `generation`, at most `limit`.
   * @param options.exceptGeneration leaves out the shadows of this generation
   */
  listDeleted(
    contextId: number,
    options: { readonly limit: number; readonly exceptGeneration?: number | undefined },
  ): Promise<readonly Pick<DocumentRecord, 'id' | 'uuid'>[]>
  /** Lists the ids of live contexts with a re-index, or with versions that have a `generation`. */
  listContexts(): Promise<readonly number[]>
}
