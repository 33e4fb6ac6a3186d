import type { Container } from 'inversify'
import { AuditRefusals } from '../audit/index.js'
import {
  type Context,
  type ContextChanges,
  type ContextSettings,
  CreateContext,
  DeleteContext,
  GetContext,
  ListContexts,
  type NewContext,
  ShareContext,
  type ShareInput,
  UpdateContext,
} from '../contexts/index.js'
import {
  DeleteDocument,
  type Document,
  type DocumentChunk,
  type DocumentReference,
  type DocumentWithReceipt,
  GetDocument,
  ListDocuments,
  type NewDocument,
  RetryDocument,
  UploadDocument,
  type UploadOptions,
  WaitForDocument,
} from '../documents/index.js'
import type { ListPage, ListQuery } from '../kernel/lists.js'
import { Search, type SearchOptions, type SearchResult } from '../search/index.js'
import { Authorizer, actorOf, type Principal } from '../tenancy/index.js'
import {
  type AuditOperations,
  auditOperations,
  type DeliveryOperations,
  type DestinationOperations,
  deliveryOperations,
  destinationOperations,
  listOperations,
  type OutboxSignals,
  type PermissionOperations,
  permissionOperations,
  type UserOperations,
  userOperations,
} from './sessions.js'
import { type ChangingMethods, watchRefusals } from './watch-refusals.js'

const CONTEXT_CHANGES: ChangingMethods<ContextOperations> = {
  create: 'context.created',
  update: 'context.updated',
  share: 'context.shared',
  delete: 'context.deleted',
}
const DOCUMENT_CHANGES: ChangingMethods<DocumentOperations> = {
  upload: 'document.uploaded',
  // Of an upload over HTTP it comes first.
  checkRoom: 'document.uploaded',
  retry: 'document.retried',
  delete: 'document.deleted',
}
const USER_CHANGES: ChangingMethods<UserOperations> = {
  add: 'user.added',
  reinitiate: 'user.reinitiated',
  delete: 'user.deleted',
}
const PERMISSION_CHANGES: ChangingMethods<PermissionOperations> = {
  create: 'permission.created',
  update: 'permission.role-changed',
  toggle: 'permission.toggled',
  delete: 'permission.revoked',
}
const DESTINATION_CHANGES: ChangingMethods<DestinationOperations> = {
  create: 'destination.created',
  update: 'destination.updated',
  delete: 'destination.deleted',
  rotateSecret: 'destination.secret-rotated',
  test: 'destination.tested',
}
const DELIVERY_CHANGES: ChangingMethods<DeliveryOperations> = { resend: 'delivery.resent' }

export interface Cancellable {
  readonly signal?: AbortSignal
}

/** A principal's contexts. Every call checks the live state of its permission. */
export interface ContextOperations {
  create(context: NewContext, options?: Cancellable): Promise<Context>
  /** What the principal sees, ordered by id. */
  list(query?: ListQuery): Promise<Context[]>
  /** As {@link list}, read a few at a time as they are asked for. */
  entries(query?: ListQuery): AsyncIterable<Context>
  /** As {@link entries}, with the place where the next page begins. */
  page(query: ListQuery): Promise<ListPage<Context>>
  get(id: number): Promise<Context>
  /** How its documents are cut and searched, those settings too that the specification does not show. */
  settings(id: number): Promise<Required<ContextSettings>>
  /** Tools and starter prompts stay as they are when omitted. */
  update(id: number, changes: ContextChanges): Promise<Context>
  share(id: number, share: ShareInput): Promise<void>
  /** With its documents, vectors, words and files. */
  delete(id: number): Promise<void>
}

/** A principal's training documents. */
export interface DocumentOperations {
  /** Stores the bytes; the text is searchable once it is processed. @returns the document's UUID */
  upload(contextId: number, document: NewDocument, options?: UploadOptions): Promise<string>
  /** Rejects as {@link upload} of so many bytes would, before any of them is read. */
  checkRoom(contextId: number, sizeBytes: number, options?: Pick<UploadOptions, 'maxFileBytes'>): Promise<void>
  /** Resolves with the completed record, rejects with a `DocumentFailedError`. */
  whenProcessed(document: DocumentReference, options?: Cancellable): Promise<Document>
  /** Ordered by id. */
  list(contextId: number, query?: ListQuery): Promise<Document[]>
  /** As {@link list}, read a few at a time as they are asked for. */
  entries(contextId: number, query?: ListQuery): AsyncIterable<Document>
  /** As {@link entries}, with the place where the next page begins. */
  page(contextId: number, query: ListQuery): Promise<ListPage<Document>>
  /** The record with its ingestion receipt. */
  get(document: DocumentReference): Promise<DocumentWithReceipt>
  /** The bytes as they were received. */
  open(document: DocumentReference): Promise<AsyncIterable<Uint8Array>>
  /** In their order; none until the document is completed. */
  chunks(document: DocumentReference): Promise<DocumentChunk[]>
  /** Processes a failed document once more. */
  retry(document: DocumentReference): Promise<Document>
  /** @returns the document as it was */
  delete(document: DocumentReference): Promise<Document>
}

/** What one principal may do. */
export interface Session {
  readonly principal: Principal
  readonly contexts: ContextOperations
  readonly documents: DocumentOperations
  readonly users: UserOperations
  readonly permissions: PermissionOperations
  readonly destinations: DestinationOperations
  readonly deliveries: DeliveryOperations
  /** The audit trail of the principal's company and its descendants; for principals with `tenant:manage`. */
  readonly audit: AuditOperations
  /** The chunks of a context whose meaning is nearest to the prompt, the best first. */
  search(contextId: number, prompt: string, options?: SearchOptions): Promise<SearchResult[]>
  /**
   * As {@link search}, for a reader who may be slow: an array where the texts have at most about 128 kB together;
   * otherwise they are read a few at a time as they are asked for, and chunks that are gone by then are left out.
   */
  searchEntries(
    contextId: number,
    prompt: string,
    options?: SearchOptions,
  ): Promise<readonly SearchResult[] | AsyncIterable<SearchResult>>
}

/** What sessions have to do with the engine they belong to. */
interface EngineSignals extends WorkSignals {
  /** Does work that the engine waits for when it is closed, once it has aborted it. */
  untilClosed<T>(caller: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>
}

/** Tells the workers what a session's calls have put to work. */
export interface WorkSignals extends OutboxSignals {
  documentUploaded(): void
  documentDeleted(documentId: number): void
  contextDeleted(): void
}

export function createSession(container: Container, principal: Principal, signals: EngineSignals): Session {
  const authorizeWebhooks = async () => {
    const { reach } = await container.get(Authorizer).authorizeTenant(principal, 'webhook:manage')
    const { companyId } = principal
    return { reach, companyId, listedCompanyId: companyId }
  }
  const watching = { by: actorOf(principal), refusals: () => container.get(AuditRefusals) }
  return {
    principal,
    contexts: watchRefusals(contextOperations(container, principal, signals), CONTEXT_CHANGES, watching),
    documents: watchRefusals(documentOperations(container, principal, signals), DOCUMENT_CHANGES, watching),
    users: watchRefusals(userOperations(container, principal), USER_CHANGES, watching),
    permissions: watchRefusals(permissionOperations(container, principal), PERMISSION_CHANGES, watching),
    destinations: watchRefusals(
      destinationOperations(container, authorizeWebhooks, signals),
      DESTINATION_CHANGES,
      watching,
    ),
    deliveries: watchRefusals(deliveryOperations(container, authorizeWebhooks, signals), DELIVERY_CHANGES, watching),
    audit: auditOperations(container, async () => (await container.get(Authorizer).authorizeTenant(principal)).reach),
    search: async (contextId, prompt, options) =>
      await container.get(Search).execute(principal, contextId, prompt, options),
    searchEntries: async (contextId, prompt, options) =>
      await container.get(Search).entries(principal, contextId, prompt, options),
  }
}

function contextOperations(container: Container, principal: Principal, signals: EngineSignals): ContextOperations {
  return {
    create: async (context, options) => await container.get(CreateContext).execute(principal, context, options),
    ...listOperations(() => container.get(ListContexts).execute(principal)),
    get: async (id) => await container.get(GetContext).execute(principal, id),
    settings: async (id) => await container.get(GetContext).settings(principal, id),
    update: async (id, changes) => await container.get(UpdateContext).execute(principal, id, changes),
    share: async (id, share) => {
      await container.get(ShareContext).execute(principal, id, share)
    },
    delete: async (id) => {
      await container.get(DeleteContext).execute(principal, id)
      signals.contextDeleted()
    },
  }
}

function documentOperations(container: Container, principal: Principal, signals: EngineSignals): DocumentOperations {
  return {
    upload: async (contextId, document, options = {}) => {
      return await signals.untilClosed(options.signal, async (signal) => {
        const uuid = await container.get(UploadDocument).execute(principal, contextId, document, { ...options, signal })
        signals.documentUploaded()
        return uuid
      })
    },
    checkRoom: async (contextId, sizeBytes, options) => {
      await container.get(UploadDocument).check(principal, contextId, sizeBytes, options)
    },
    whenProcessed: async (document, options) =>
      await signals.untilClosed(options?.signal, async (signal) => {
        return await container.get(WaitForDocument).execute(principal, document, { signal })
      }),
    ...listOperations((contextId: number) => container.get(ListDocuments).execute(principal, contextId)),
    get: async (document) => await container.get(GetDocument).execute(principal, document),
    open: async (document) => await container.get(GetDocument).open(principal, document),
    chunks: async (document) => await container.get(GetDocument).chunks(principal, document),
    retry: async (document) => {
      const retried = await container.get(RetryDocument).execute(principal, document)
      signals.documentUploaded()
      return retried
    },
    delete: async (document) => {
      const deleted = await container.get(DeleteDocument).execute(principal, document)
      signals.documentDeleted(deleted.id)
      return deleted
    },
  }
}
