import type {
  Context,
  ContextChanges,
  ContextSettingsView,
  HandOverInput,
  NewContext,
  ShareInput,
} from '../../contexts/index.js'
import type { ContextLanguages } from '../../documents/index.js'
import type { ListPage, ListQuery } from '../../kernel/lists.js'
import { refuseUnknownMembers } from '../../kernel/validate.js'
import type { Principal } from '../../tenancy/index.js'
import type { EngineParts } from '../engine-parts.js'
import { type Cancellable, createListOperations, type EngineSignals, inTurns, LISTS } from './operations.js'

/**
 * The contexts that a principal can use. Each call checks the current state of its permission. After the engine is
 * closed, all calls reject with a `ClosedError`.
 */
export interface ContextOperations {
  /**
   * Creates a context. Missing settings get their defaults, and the engine writes missing starter prompts.
   *
   * @throws InvalidInputError for an invalid member
   * @throws ModelError `ERR_MODEL_UNKNOWN`
   * @throws LimitReachedError if the company has reached the limit `contextsPerCompany`
   * @throws UnauthenticatedError @throws ForbiddenError if the principal may not do this
   */
  create(context: NewContext, options?: Cancellable): Promise<Context>
  /**
   * Lists the contexts that the principal can read, ordered by id.
   *
   * @param query a part of the list. Default: the whole list
   * @throws InvalidInputError for an invalid query
   * @throws UnauthenticatedError @throws ForbiddenError if the principal may not do this
   */
  list(query?: ListQuery): Promise<Context[]>
  /** As {@link list}, but reads a few items at a time, when the consumer asks for them. @throws as {@link list} */
  entries(query?: ListQuery): AsyncIterable<Context>
  /** As {@link entries}, with the id after which the next page begins. @throws as {@link list} */
  page(query: ListQuery): Promise<ListPage<Context>>
  /**
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`, also for a context that the principal cannot read
   * @throws UnauthenticatedError @throws ForbiddenError if the principal may not do this
   */
  get(id: number): Promise<Context>
  /**
   * Reads all settings, also those that the specification's record does not have, and the re-index in progress.
   * @throws as {@link get}
   */
  settings(id: number): Promise<ContextSettingsView>
  /**
   * Reads the languages of the completed documents, and which of them the context's model does not know: words alone find
   * those documents. @throws as {@link get}
   */
  languages(id: number): Promise<ContextLanguages>
  /**
   * Replaces the texts of a context. Omitted tools, starter prompts and settings stay unchanged.
   *
   * Another `embeddingModel`, `chunkSizeTokens` or `overlap` starts a re-index. Searches, uploads and changes go on with
   * the present settings. The new ones apply to all documents at once, when all are re-indexed: see
   * {@link whenReindexed}. The present settings cancel a re-index, and other ones replace it.
   *
   * @throws InvalidInputError for an invalid member
   * @throws ModelError `ERR_MODEL_UNKNOWN`
   * @throws StorageFullError if the disk has no room for the documents under both settings
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`, also for a context that the principal cannot read
   * @throws UnauthenticatedError @throws ForbiddenError if the principal may not do this, or if another user shares the
   *   context
   */
  update(id: number, changes: ContextChanges): Promise<Context>
  /**
   * Waits until no re-index of the context is in progress.
   *
   * @param options.signal ends the wait, which then rejects with the signal's reason. Default: no signal
   * @returns the settings from then on
   * @throws ReindexFailedError once the re-index has stopped: the same {@link update} tries it again
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`, also if the context is deleted during the wait
   * @throws ClosedError if the engine is closed during the wait
   */
  whenReindexed(id: number, options?: Cancellable): Promise<ContextSettingsView>
  /** Shares a context with the other users of its account, or makes it private. @throws as {@link update} */
  share(id: number, share: ShareInput): Promise<void>
  /**
   * Gives a context to another user, whose it is from then on: a private one is visible to that user alone.
   *
   * @returns the context, also if the principal cannot read it any more
   * @throws InvalidInputError if that user may not read contexts of the account
   * @throws as {@link update}
   */
  handOver(id: number, input: HandOverInput): Promise<Context>
  /**
   * Deletes a context with its documents. It is invisible at once. A job removes its vectors, words and files:
   * see `Engine.whenCleared`.
   *
   * @throws as {@link update}
   */
  delete(id: number): Promise<void>
}

export function createContextOperations(
  parts: EngineParts,
  principal: Principal,
  signals: EngineSignals,
): ContextOperations {
  const operations: ContextOperations = {
    create: async (context, options) => await parts.contexts.create(principal, context, options),
    ...createListOperations(() => parts.contexts.list(principal), signals.run),
    get: async (id) => await parts.contexts.get(principal, id),
    settings: async (id) => await parts.readContextSettings.execute(principal, id),
    languages: async (id) => await parts.readContextLanguages.execute(principal, id),
    update: async (id, changes) => {
      const changed = await parts.contexts.update(principal, id, changes)
      signals.workers?.settingsChanged()
      return changed
    },
    whenReindexed: async (id, options) => {
      refuseUnknownMembers(options, ['signal'], 'option')
      return await signals.runUntilClosed(options?.signal, async (signal) => {
        return await parts.readContextSettings.whenReindexed(principal, id, { signal })
      })
    },
    share: async (id, share) => {
      await parts.contexts.share(principal, id, share)
    },
    handOver: async (id, input) => await parts.handOverContexts.execute(principal, id, input),
    delete: async (id) => {
      await parts.contexts.delete(principal, id)
      signals.workers?.purgeQueued()
    },
  }
  return inTurns(operations, signals.run, [...LISTS, 'whenReindexed'])
}
