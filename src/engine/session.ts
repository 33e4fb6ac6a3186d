import type { AuditAction, AuditActor, AuditRefusals } from '../audit/index.js'
import type { Run } from '../kernel/lists.js'
import type { WhileAway } from '../kernel/scheduling/fair-scheduler.js'
import type {
  ChatPrompt,
  ContextSearchResult,
  PrepareOptions,
  SearchExplanation,
  SearchOptions,
  SearchResult,
} from '../search/index.js'
import { actorOf, type CompanyUsage, type Principal } from '../tenancy/index.js'
import type { EngineParts } from './engine-parts.js'
import {
  type ApiKeyOperations,
  type CompanyOperations,
  createApiKeyOperations,
  createCompanyOperations,
  createRoleOperations,
  type RoleOperations,
} from './operations/access-operations.js'
import { type ContextOperations, createContextOperations } from './operations/context-operations.js'
import { createDocumentOperations, type DocumentOperations } from './operations/document-operations.js'
import { type EngineSignals, itemsInTurns } from './operations/operations.js'
import { createOperatorOperations, type OperatorOperations } from './operations/operator-operations.js'
import {
  createDeliveryOperations,
  createDestinationOperations,
  type DeliveryOperations,
  type DestinationOperations,
} from './operations/outbox-operations.js'
import {
  type AuditOperations,
  createAuditOperations,
  createPermissionOperations,
  createUserOperations,
  type PermissionOperations,
  type UserOperations,
} from './operations/tenant-operations.js'

/** The operations of one principal. Each call checks its rights at that time. */
export interface Session {
  readonly principal: Principal
  readonly contexts: ContextOperations
  readonly documents: DocumentOperations
  readonly users: UserOperations
  readonly permissions: PermissionOperations
  /** The principal's company and those below it; for principals with `tenant:manage`, as the next two. */
  readonly companies: CompanyOperations
  readonly roles: RoleOperations
  readonly apiKeys: ApiKeyOperations
  readonly destinations: DestinationOperations
  readonly deliveries: DeliveryOperations
  /** The audit trail of the principal's company and its descendants; for principals with `tenant:manage`. */
  readonly audit: AuditOperations
  /** The whole installation; for managers of the root company. */
  readonly operator: OperatorOperations
  /**
   * Reads what a company uses, beside the limits, without the companies below it; for principals with `tenant:manage`.
   *
   * @param companyId default: the principal's company
   * @throws InvalidInputError for an invalid id
   * @throws ForbiddenError if the principal may not do this, or if the company is missing or out of reach
   * @throws UnauthenticatedError if the principal no longer exists
   * @throws ClosedError after the engine is closed
   */
  usage(companyId?: number): Promise<CompanyUsage>
  /**
   * Finds the chunks of a context that answer a prompt, by words and meaning.
   *
   * @param prompt 1 to 32,768 characters, not blank
   * @returns the `topN` best chunks, the best first
   * @throws InvalidInputError for an invalid prompt or option
   * @throws NotFoundError `ERR_CONTEXT_NOT_FOUND`
   * @throws ThrottledError if the API key (or the user without a key), or the company, already has its maximum of
   *   searches in progress
   * @throws ModelError if the embedding model cannot be loaded
   * @throws UnauthenticatedError @throws ForbiddenError if the principal may not do this
   * @throws ClosedError after the engine is closed
   */
  search(contextId: number, prompt: string, options?: SearchOptions): Promise<SearchResult[]>
  /**
   * As {@link search}, for a consumer that may be slow.
   *
   * @returns an array if the texts have at most 128 KiB together. Otherwise an async iterable, which reads a few texts
   *   at a time when the consumer asks for them, and leaves out chunks that are deleted by then.
   * @throws as {@link search}, also during the iteration
   */
  searchEntries(
    contextId: number,
    prompt: string,
    options?: SearchOptions,
  ): Promise<readonly SearchResult[] | AsyncIterable<SearchResult>>
  /**
   * Finds the chunks of several contexts that answer a prompt, by words and meaning. Settings of each context apply to
   * it unless `options` has them.
   *
   * - Contexts with the same model and mode give the results that one context with all their documents would give.
   * - Contexts with different models or modes take turns: `score` then says only the order.
   * - Counts as one search for the limits `searchesPerKey` and `searchesPerCompany`.
   *
   * @param contextIds 1 to 100 ids; an id that is there twice counts once
   * @param options.topN maximum number of results, 1 to 100. Default: the largest `topN` of the contexts
   * @returns the `topN` best chunks of all contexts, the best first
   * @throws as {@link search}; NotFoundError if the principal cannot read one of the contexts
   */
  searchAll(contextIds: readonly number[], prompt: string, options?: SearchOptions): Promise<ContextSearchResult[]>
  /**
   * As {@link searchAll}, for a consumer that may be slow: see {@link searchEntries}.
   * @throws as {@link searchAll}, also during the iteration
   */
  searchAllEntries(
    contextIds: readonly number[],
    prompt: string,
    options?: SearchOptions,
  ): Promise<readonly ContextSearchResult[] | AsyncIterable<ContextSearchResult>>
  /**
   * Makes a prompt that can be sent to a model as it is: the context's instructions, the earlier messages of the chat,
   * numbered passages for the question, and the question. Passages of one document that overlap or touch are joined.
   *
   * - Everything fits in `maxTokens`. If it does not, the prompt has fewer passages, and the oldest messages are left out;
   *   the newest messages get a quarter of the room before the passages. The last passage may be shortened.
   * - Passages stand between tags that no document can forge, and the instructions say that they are no instructions.
   * - Store the question and the answer as the history of the next call, not the message with the passages.
   * - Counts as one search for the limits `searchesPerKey` and `searchesPerCompany`.
   *
   * @param question 1 to 32,768 characters, not blank. The search finds what its best part asks for
   * @throws InvalidInputError also if instructions, tools and question alone have more than `maxTokens` tokens
   * @throws as {@link search}; ForbiddenError also if the principal may search but not read contexts
   */
  prepare(contextId: number, question: string, options?: PrepareOptions): Promise<ChatPrompt>
  /**
   * Explains what {@link search} finds with the same arguments, or why it finds nothing. Reads the state of the documents,
   * the words of the prompt and the ranks of both sides. Costs about as much as two searches, and more if the answer is
   * empty.
   *
   * A model that cannot be used is a reason, not an error.
   *
   * @throws as {@link search}, without ModelError
   */
  explain(contextId: number, prompt: string, options?: SearchOptions): Promise<SearchExplanation>
  /**
   * Runs the host's own work for this principal in one of its turns, such as the parsing of a large request. Turns rotate
   * among companies, and within a company among its API keys and users. All other operations take their turns themselves.
   *
   * @param work must not wait for an operation of a session, which would wait for another turn. Its argument
   *   `whileAway` runs a wait, such as that for a slow client: others have the turn's place meanwhile
   * @throws ThrottledError if the API key (or the user without a key), or the company, already has its maximum of calls
   *   in progress
   */
  readonly inTurn: <Result>(work: (whileAway: WhileAway) => Promise<Result>) => Promise<Result>
}

const CONTEXT_CHANGES: ChangingMethods<ContextOperations> = {
  create: 'context.created',
  update: 'context.updated',
  share: 'context.shared',
  handOver: 'context.handed-over',
  delete: 'context.deleted',
}
const DOCUMENT_CHANGES: ChangingMethods<DocumentOperations> = {
  upload: 'document.uploaded',
  // The REST server calls the checks before each upload.
  checkRoom: 'document.uploaded',
  update: 'document.updated',
  replace: 'document.replaced',
  checkReplacement: 'document.replaced',
  retry: 'document.retried',
  delete: 'document.deleted',
}
const USER_CHANGES: ChangingMethods<UserOperations> = {
  add: 'user.added',
  reinitiate: 'user.reinitiated',
  delete: 'user.deleted',
  handOverContexts: 'user.contexts-handed-over',
}
const PERMISSION_CHANGES: ChangingMethods<PermissionOperations> = {
  create: 'permission.created',
  update: 'permission.role-changed',
  toggle: 'permission.toggled',
  delete: 'permission.revoked',
}
const API_KEY_CHANGES: ChangingMethods<ApiKeyOperations> = { create: 'api-key.created', revoke: 'api-key.revoked' }
const DESTINATION_CHANGES: ChangingMethods<DestinationOperations> = {
  create: 'destination.created',
  update: 'destination.updated',
  delete: 'destination.deleted',
  rotateSecret: 'destination.secret-rotated',
  test: 'destination.tested',
}
const DELIVERY_CHANGES: ChangingMethods<DeliveryOperations> = { resend: 'delivery.resent' }

export function createSession(parts: EngineParts, principal: Principal, given: Omit<EngineSignals, 'run'>): Session {
  const run: Run = async (work) => await parts.callTurns.run(principal, work)
  const signals = { ...given, run }
  const authorizeWebhooks = async () => {
    const { reach } = await parts.authorizer.authorizeTenant(principal, 'webhook:manage')
    const { companyId } = principal
    return { reach, companyId, listedCompanyId: companyId }
  }
  const watched = <Operations extends object>(operations: Operations, changes: ChangingMethods<Operations>) =>
    watchRefusals(operations, changes, actorOf(principal), parts.auditRefusals)
  // A request has a session of its own and uses one or two groups, so each group is made at its first use.
  const groups: { -readonly [Name in keyof Session]?: Session[Name] } = {}
  const once = <Name extends keyof Session>(name: Name, make: () => Session[Name]): Session[Name] => {
    const group: Session[Name] = groups[name] ?? make()
    groups[name] = group
    return group
  }
  return {
    principal,
    get contexts() {
      return once('contexts', () => watched(createContextOperations(parts, principal, signals), CONTEXT_CHANGES))
    },
    get documents() {
      return once('documents', () => watched(createDocumentOperations(parts, principal, signals), DOCUMENT_CHANGES))
    },
    get users() {
      return once('users', () => watched(createUserOperations(parts, principal, run), USER_CHANGES))
    },
    get permissions() {
      return once('permissions', () => watched(createPermissionOperations(parts, principal, run), PERMISSION_CHANGES))
    },
    get companies() {
      return once('companies', () => createCompanyOperations(parts, principal, run))
    },
    get roles() {
      return once('roles', () => createRoleOperations(parts, principal, run))
    },
    get apiKeys() {
      return once('apiKeys', () => watched(createApiKeyOperations(parts, principal, run), API_KEY_CHANGES))
    },
    get destinations() {
      return once('destinations', () =>
        watched(createDestinationOperations(parts, authorizeWebhooks, signals.workers, run), DESTINATION_CHANGES),
      )
    },
    get deliveries() {
      return once('deliveries', () =>
        watched(createDeliveryOperations(parts, authorizeWebhooks, signals.workers, run), DELIVERY_CHANGES),
      )
    },
    get audit() {
      const authorize = async () => (await parts.authorizer.authorizeTenant(principal)).reach
      return once('audit', () => createAuditOperations(parts, authorize, run))
    },
    get operator() {
      return once('operator', () => createOperatorOperations(parts, principal, signals))
    },
    usage: async (companyId) =>
      await run(
        async () => await parts.readUsage.execute(await parts.authorizer.authorizeTenant(principal), companyId),
      ),
    search: async (contextId, prompt, options) => await parts.search.execute(principal, contextId, prompt, options),
    searchEntries: async (contextId, prompt, options) =>
      laterInTurns(await parts.search.entries(principal, contextId, prompt, options), run),
    explain: async (contextId, prompt, options) => await parts.search.explain(principal, contextId, prompt, options),
    prepare: async (contextId, question, options) =>
      await parts.prepareChat.execute(principal, contextId, question, options),
    searchAll: async (contextIds, prompt, options) =>
      await parts.search.executeAll(principal, contextIds, prompt, options),
    searchAllEntries: async (contextIds, prompt, options) =>
      laterInTurns(await parts.search.entriesOfAll(principal, contextIds, prompt, options), run),
    inTurn: async (work) => await parts.callTurns.run(principal, async ({ whileAway }) => await work(whileAway)),
  }
}

/** Results whose texts are not read yet are read in turns. */
function laterInTurns<Result>(found: readonly Result[] | AsyncIterable<Result>, run: Run): typeof found {
  return Symbol.asyncIterator in found ? itemsInTurns(found, run) : found
}

/** The methods that change data, with their actions in the audit trail. */
type ChangingMethods<Operations> = Partial<Readonly<Record<keyof Operations, AuditAction>>>

type Method = (...args: readonly unknown[]) => Promise<unknown>

/** Wraps operations, so that the audit trail records each change that is refused for a lack of rights. */
function watchRefusals<Operations extends object>(
  operations: Operations,
  methods: ChangingMethods<Operations>,
  by: AuditActor,
  refusals: AuditRefusals,
): Operations {
  const wrapped = { ...operations } as unknown as Record<string, Method>
  for (const [name, action] of Object.entries<AuditAction | undefined>(methods)) {
    const method = wrapped[name]
    if (method === undefined || action === undefined) continue
    wrapped[name] = async (...args: readonly unknown[]) =>
      await refusals.watch(by, action, targetIdOf(action, args[0]), async () => await method(...args))
  }
  return wrapped as unknown as Operations
}

/** @returns the id in the first argument; null if there is none, or if the action creates something */
function targetIdOf(action: AuditAction, firstArgument: unknown): number | null {
  if (/\.(?:created|added|uploaded)$/.test(action)) return null
  const id: unknown =
    typeof firstArgument === 'object' && firstArgument !== null && 'id' in firstArgument
      ? firstArgument.id
      : firstArgument
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null
}
