import { type AbstractNewable, Container } from 'inversify'
import 'reflect-metadata'
import { AuditRefusals, ListAudit, TrimAudit } from '../audit/index.js'
import {
  Contexts,
  HandOverContexts,
  ReadContextSettings,
  ReindexAll,
  RemoveContexts,
  WaitingReasons,
} from '../contexts/index.js'
import {
  ContextCheck,
  DocumentCheck,
  Examination,
  FoundationCheck,
  LeftoverCheck,
  Repair,
  StartCheck,
  Verify,
  WordRepair,
} from '../doctor/index.js'
import {
  DamagedWords,
  DocumentEventEmitter,
  Documents,
  EmbeddingModels,
  FileReceiver,
  FormerGenerations,
  IndexContextWords,
  IndexName,
  IndexWords,
  LateWrites,
  MendWords,
  ProcessDocument,
  ReadContextLanguages,
  ReindexContext,
  ReplaceDocument,
  UploadDocument,
  WaitForDocument,
  WatchDocuments,
  withDamageNoted,
} from '../documents/index.js'
import { UnwritableDisk } from '../jobs/index.js'
import { SecretBox } from '../kernel/crypto.js'
import type { EngineLimits } from '../kernel/limits.js'
import {
  DeletedCollections,
  PurgeAccount,
  PurgeCompany,
  PurgeContext,
  PurgeDocument,
  Sweep,
  SweepCollections,
  SweepInTurn,
} from '../maintenance/index.js'
import {
  CompanyRates,
  DeliverEvent,
  Deliveries,
  DestinationFailures,
  Destinations,
  HostEventTypes,
  RecordEvent,
  TrimDeliveries,
  VetDestination,
} from '../outbox/index.js'
import {
  type Clock,
  type CommonPasswords,
  type FileStore,
  type HttpTransport,
  type LexicalIndex,
  type Mailer,
  type OneTimePasswords,
  type PasswordHasher,
  type StarterPromptWriter,
  type Storage,
  type Telemetry,
  type TextExtractor,
  type TokenSigner,
  tracerOf,
  type VectorIndex,
} from '../ports/index.js'
import { PrepareChat, Search } from '../search/index.js'
import {
  AccessRecorder,
  Administration,
  ApiKeys,
  AuthenticateClient,
  AuthenticateToken,
  Authorizer,
  CallTurns,
  Companies,
  EnsureUser,
  FailureThrottle,
  FindUsers,
  Initialize,
  ListPermissionOptions,
  Logins,
  MailGate,
  MailQueue,
  NewUsers,
  OtpSecrets,
  PasswordRequests,
  PasswordRules,
  Passwords,
  Permissions,
  type Reach,
  ReadUsage,
  Roles,
  SecondFactor,
  SendMail,
  Throttle,
  type TokenIssuer,
  Tokens,
  Users,
  unlimitedReach,
} from '../tenancy/index.js'
import type { EngineOptions } from './engine-options.js'
import type { EngineParts } from './engine-parts.js'
import { type EngineSettings, settingsOf } from './engine-settings.js'
import { traceStorage } from './traced-storage.js'

/** Names an object in the container. Its type is a class of the object, so that the compiler checks the wiring. */
type Token<T> = AbstractNewable<T>

function token<T>(name: string): Token<T> {
  return Symbol(name) as unknown as Token<T>
}

const STORAGE: Token<Storage> = token('Storage')
const LEXICAL_INDEX: Token<LexicalIndex> = token('LexicalIndex')
const VECTOR_INDEX: Token<VectorIndex> = token('VectorIndex')
const TEXT_EXTRACTOR: Token<TextExtractor> = token('TextExtractor')
const FILE_STORE: Token<FileStore> = token('FileStore')
const STARTER_PROMPT_WRITER: Token<StarterPromptWriter> = token('StarterPromptWriter')
const CLOCK: Token<Clock> = token('Clock')
const TELEMETRY: Token<Telemetry> = token('Telemetry')
const TOKEN_SIGNER: Token<TokenSigner> = token('TokenSigner')
const PASSWORD_HASHER: Token<PasswordHasher> = token('PasswordHasher')
const COMMON_PASSWORDS: Token<CommonPasswords> = token('CommonPasswords')
const ONE_TIME_PASSWORDS: Token<OneTimePasswords> = token('OneTimePasswords')
const MAILER: Token<Mailer> = token('Mailer')
const HTTP_TRANSPORT: Token<HttpTransport> = token('HttpTransport')
const TOKEN_ISSUER: Token<TokenIssuer> = token('TokenIssuer')
const LIMITS: Token<EngineLimits> = token('Limits')
const HOST_REACH: Token<Reach> = token('HostReach')

/** Wires every part of an engine to its ports. The only module that knows the container. */
export function wireParts(options: EngineOptions): EngineParts {
  const settings = settingsOf(options)
  const container = new Container({ defaultScope: 'Singleton' })
  const bind = binderOf(container)
  bindPorts(container, options)
  container.bind(LIMITS).toConstantValue(settings.limits)
  bindTenancy(container, bind, settings)
  bindOutbox(container, bind, settings)
  bindDocuments(container, bind)
  bindDoctor(bind)
  container.bind(Search).toResolvedValue(
    (storage, vectors, words, damagedWords, models, authorizer, calls, limits, telemetry) => {
      const indexes = { vectors, words, onWordsLost: (collection: string) => damagedWords.note(collection) }
      return new Search(storage, indexes, models, authorizer, calls, limits, telemetry, options.reranker)
    },
    [STORAGE, VECTOR_INDEX, LEXICAL_INDEX, DamagedWords, EmbeddingModels, Authorizer, CallTurns, LIMITS, TELEMETRY],
  )
  bind(PrepareChat, [Contexts, Search, Documents, CallTurns])
  return {
    accessRecorder: container.get(AccessRecorder),
    administration: container.get(Administration),
    apiKeys: container.get(ApiKeys),
    auditRefusals: container.get(AuditRefusals),
    authenticateToken: container.get(AuthenticateToken),
    authorizer: container.get(Authorizer),
    callTurns: container.get(CallTurns),
    clock: container.get(CLOCK),
    companies: container.get(Companies),
    contexts: container.get(Contexts),
    deliverEvent: container.get(DeliverEvent),
    deliveries: container.get(Deliveries),
    destinations: container.get(Destinations),
    documentEvents: container.get(DocumentEventEmitter),
    documents: container.get(Documents),
    embeddingModels: container.get(EmbeddingModels),
    fileStore: container.get(FILE_STORE),
    hostEventTypes: container.get(HostEventTypes),
    hostReach: container.get(HOST_REACH),
    indexName: container.get(IndexName),
    indexContextWords: container.get(IndexContextWords),
    initialize: container.get(Initialize),
    lexicalIndex: container.get(LEXICAL_INDEX),
    listAudit: container.get(ListAudit),
    listPermissionOptions: container.get(ListPermissionOptions),
    logins: container.get(Logins),
    mendWords: container.get(MendWords),
    mailer: container.get(MAILER),
    passwords: container.get(Passwords),
    userPermissions: container.get(Permissions),
    prepareChat: container.get(PrepareChat),
    processDocument: container.get(ProcessDocument),
    purgeAccount: container.get(PurgeAccount),
    purgeCompany: container.get(PurgeCompany),
    purgeContext: container.get(PurgeContext),
    purgeDocument: container.get(PurgeDocument),
    readContextLanguages: container.get(ReadContextLanguages),
    readContextSettings: container.get(ReadContextSettings),
    readUsage: container.get(ReadUsage),
    recordEvent: container.get(RecordEvent),
    reindexAll: container.get(ReindexAll),
    reindexContext: container.get(ReindexContext),
    roles: container.get(Roles),
    search: container.get(Search),
    secretBox: container.get(SecretBox),
    sendMail: container.get(SendMail),
    startCheck: container.get(StartCheck),
    storage: container.get(STORAGE),
    sweep: container.get(Sweep),
    sweepInTurn: container.get(SweepInTurn),
    telemetry: container.get(TELEMETRY),
    tokenIssuer: container.get(TOKEN_ISSUER),
    tokenSigner: container.get(TOKEN_SIGNER),
    tokens: container.get(Tokens),
    trimAudit: container.get(TrimAudit),
    trimDeliveries: container.get(TrimDeliveries),
    unwritableDisk: container.get(UnwritableDisk),
    uploadDocument: container.get(UploadDocument),
    replaceDocument: container.get(ReplaceDocument),
    users: container.get(Users),
    findUsers: container.get(FindUsers),
    handOverContexts: container.get(HandOverContexts),
    vectorIndex: container.get(VECTOR_INDEX),
    verify: container.get(Verify),
    waitForDocument: container.get(WaitForDocument),
    watchDocuments: container.get(WatchDocuments),
  }
}

/** Binds a class whose constructor takes exactly the objects of these tokens. */
type Bind = <Arguments extends readonly unknown[]>(
  target: new (...dependencies: Arguments) => object,
  dependencies: { readonly [Index in keyof Arguments]: Token<Arguments[Index]> },
) => void

function binderOf(container: Container): Bind {
  return (target, dependencies) => {
    container
      .bind(target as Token<unknown>)
      .toResolvedValue(
        (...resolved: unknown[]) => new target(...(resolved as never)),
        dependencies as unknown as Token<unknown>[],
      )
  }
}

function bindPorts(container: Container, options: EngineOptions): void {
  const { telemetry = { record: () => undefined } } = options
  const { tracer } = telemetry
  container.bind(STORAGE).toConstantValue(tracer ? traceStorage(options.storage, tracer) : options.storage)
  const damagedWords = new DamagedWords()
  container.bind(DamagedWords).toConstantValue(damagedWords)
  container.bind(LEXICAL_INDEX).toConstantValue(withDamageNoted(options.lexicalIndex, damagedWords))
  container.bind(VECTOR_INDEX).toConstantValue(options.vectorIndex)
  container.bind(TEXT_EXTRACTOR).toConstantValue(options.textExtractor)
  container.bind(FILE_STORE).toConstantValue(options.fileStore)
  container.bind(STARTER_PROMPT_WRITER).toConstantValue(options.starterPromptWriter)
  container.bind(TOKEN_SIGNER).toConstantValue(options.tokenSigner)
  container.bind(PASSWORD_HASHER).toConstantValue(options.passwordHasher)
  container.bind(COMMON_PASSWORDS).toConstantValue(options.commonPasswords)
  container.bind(ONE_TIME_PASSWORDS).toConstantValue(options.oneTimePasswords)
  container.bind(MAILER).toConstantValue(options.mailer)
  container.bind(HTTP_TRANSPORT).toConstantValue(options.httpTransport)
  container.bind(CLOCK).toConstantValue(options.clock ?? { now: () => new Date() })
  container.bind(TELEMETRY).toConstantValue(telemetry)
  container.bind(SecretBox).toConstantValue(new SecretBox(options.secretKey))
  container.bind(EmbeddingModels).toConstantValue(new EmbeddingModels(options.embeddingModels))
}

/** Companies, users, permissions, tokens, passwords, mails, and the audit trail. */
function bindTenancy(container: Container, bind: Bind, settings: EngineSettings): void {
  const { hostClientId: clientId, tokenIssuer, mail, auditRetentionDays } = settings
  container.bind(HOST_REACH).toConstantValue(unlimitedReach({ kind: 'host', clientId }))
  container.bind(TOKEN_ISSUER).toConstantValue(tokenIssuer)
  bind(ListAudit, [STORAGE])
  bind(AuditRefusals, [STORAGE, CLOCK, TELEMETRY])
  container.bind(TrimAudit).toResolvedValue((clock) => new TrimAudit(clock, auditRetentionDays), [CLOCK])
  bind(Initialize, [STORAGE, CLOCK, HOST_REACH])
  bind(RemoveContexts, [CLOCK])
  bind(HandOverContexts, [STORAGE, CLOCK, Authorizer])
  bind(Administration, [
    STORAGE,
    CLOCK,
    Users,
    Passwords,
    TOKEN_SIGNER,
    HOST_REACH,
    OtpSecrets,
    LIMITS,
    RemoveContexts,
    EnsureUser,
  ])
  bind(ReadUsage, [STORAGE, CLOCK, LIMITS])
  bind(AccessRecorder, [STORAGE, CLOCK, TELEMETRY])
  bind(Authorizer, [STORAGE, AccessRecorder])
  bind(Throttle, [STORAGE, CLOCK])
  bind(FailureThrottle, [Throttle, LIMITS])
  bind(PasswordRequests, [Throttle, LIMITS])
  bind(AuthenticateClient, [STORAGE, CLOCK, FailureThrottle, AuditRefusals])
  bind(CallTurns, [LIMITS])
  bind(AuthenticateToken, [STORAGE, CLOCK, TOKEN_SIGNER, TOKEN_ISSUER, CallTurns])
  bind(Logins, [STORAGE, CLOCK, SecretBox, Passwords, AuthenticateClient, CallTurns])
  bind(Tokens, [STORAGE, CLOCK, TOKEN_SIGNER, TOKEN_ISSUER, AuthenticateClient, AuthenticateToken])
  container
    .bind(SendMail)
    .toResolvedValue((storage, clock, mailer) => new SendMail(storage, clock, mailer, mail), [STORAGE, CLOCK, MAILER])
  bind(MailGate, [CLOCK, LIMITS])
  bind(MailQueue, [STORAGE, CLOCK, MAILER, SendMail, TELEMETRY, MailGate])
  bind(NewUsers, [CLOCK, LIMITS, MailQueue])
  bind(EnsureUser, [STORAGE, CLOCK, NewUsers])
  bind(FindUsers, [STORAGE])
  bind(Users, [STORAGE, CLOCK, NewUsers, AccessRecorder, MailQueue, RemoveContexts])
  bind(PasswordRules, [COMMON_PASSWORDS])
  bind(OtpSecrets, [ONE_TIME_PASSWORDS, SecretBox, CLOCK, TELEMETRY])
  bind(SecondFactor, [STORAGE, CLOCK, OtpSecrets])
  bind(Passwords, [
    STORAGE,
    CLOCK,
    PASSWORD_HASHER,
    PasswordRules,
    MailQueue,
    FailureThrottle,
    PasswordRequests,
    AuditRefusals,
    SecondFactor,
  ])
  bind(Permissions, [STORAGE, CLOCK])
  bind(Companies, [STORAGE, CLOCK])
  bind(Roles, [STORAGE, CLOCK])
  bind(ApiKeys, [STORAGE, CLOCK, LIMITS])
  bind(ListPermissionOptions, [STORAGE])
}

/** Events, destinations, deliveries and the relay. */
function bindOutbox(
  container: Container,
  bind: Bind,
  { deliveryRetentionDays, sendsTraceparent }: EngineSettings,
): void {
  bind(HostEventTypes, [STORAGE])
  bind(RecordEvent, [STORAGE, CLOCK, HostEventTypes])
  bind(DestinationFailures, [CLOCK, MailQueue])
  container
    .bind(DeliverEvent)
    .toResolvedValue(
      (storage, clock, transport, secretBox, telemetry, failures) =>
        new DeliverEvent(storage, clock, transport, secretBox, telemetry, failures, { sendsTraceparent }),
      [STORAGE, CLOCK, HTTP_TRANSPORT, SecretBox, TELEMETRY, DestinationFailures],
    )
  container.bind(TrimDeliveries).toResolvedValue((clock) => new TrimDeliveries(clock, deliveryRetentionDays), [CLOCK])
  bind(CompanyRates, [CLOCK, LIMITS])
  bind(Deliveries, [STORAGE, CLOCK, CompanyRates])
  bind(VetDestination, [HTTP_TRANSPORT, TELEMETRY, STORAGE, CompanyRates])
  bind(Destinations, [STORAGE, CLOCK, VetDestination, SecretBox, CompanyRates, LIMITS, HostEventTypes])
}

/** Contexts, and documents from the upload to the purge. */
function bindDocuments(container: Container, bind: Bind): void {
  bind(Contexts, [STORAGE, CLOCK, Authorizer, STARTER_PROMPT_WRITER, EmbeddingModels, LIMITS, VECTOR_INDEX])
  bind(UnwritableDisk, [])
  bind(WaitingReasons, [CLOCK, UnwritableDisk])
  bind(ReadContextSettings, [STORAGE, WaitingReasons, Authorizer])
  bind(ReadContextLanguages, [STORAGE, EmbeddingModels, Authorizer])
  bind(ReindexAll, [STORAGE, CLOCK, EmbeddingModels, VECTOR_INDEX, HOST_REACH])
  bind(DocumentEventEmitter, [TELEMETRY])
  bind(FileReceiver, [STORAGE, FILE_STORE, TEXT_EXTRACTOR, Authorizer, CallTurns, LIMITS])
  bind(UploadDocument, [FileReceiver, CLOCK, LIMITS])
  bind(ReplaceDocument, [STORAGE, FileReceiver, CLOCK])
  bind(Documents, [STORAGE, FILE_STORE, CLOCK, Authorizer, WaitingReasons, IndexName, EmbeddingModels])
  bind(WaitForDocument, [STORAGE, Authorizer, DocumentEventEmitter, WaitingReasons])
  bind(WatchDocuments, [STORAGE, Authorizer, DocumentEventEmitter, LIMITS, WaitingReasons])
  bind(IndexWords, [STORAGE, LEXICAL_INDEX])
  bind(LateWrites, [STORAGE, VECTOR_INDEX, LEXICAL_INDEX])
  container
    .bind(ProcessDocument)
    .toResolvedValue(
      (storage, fileStore, extractor, index, words, events, models, lateWrites, clock, telemetry) =>
        new ProcessDocument(
          { storage, fileStore, extractor, index, words, events, tracer: tracerOf(telemetry) },
          models,
          lateWrites,
          clock,
          telemetry,
        ),
      [
        STORAGE,
        FILE_STORE,
        TEXT_EXTRACTOR,
        VECTOR_INDEX,
        IndexWords,
        DocumentEventEmitter,
        EmbeddingModels,
        LateWrites,
        CLOCK,
        TELEMETRY,
      ],
    )
  bind(IndexName, [STORAGE, IndexWords, LateWrites])
  bind(IndexContextWords, [STORAGE, LEXICAL_INDEX, IndexWords, LateWrites, TELEMETRY])
  bind(MendWords, [STORAGE, LEXICAL_INDEX, DamagedWords, TELEMETRY])
  container
    .bind(FormerGenerations)
    .toResolvedValue(
      (vectors, words, files) => new FormerGenerations([vectors, words], files),
      [VECTOR_INDEX, LEXICAL_INDEX, FILE_STORE],
    )
  bind(ReindexContext, [STORAGE, FormerGenerations, DocumentEventEmitter, CLOCK, TELEMETRY])
  container
    .bind(PurgeDocument)
    .toResolvedValue(
      (vectors, words, files) => new PurgeDocument([vectors, words], files),
      [VECTOR_INDEX, LEXICAL_INDEX, FILE_STORE],
    )
  container
    .bind(DeletedCollections)
    .toResolvedValue(
      (storage, vectors, words) => new DeletedCollections(storage, [vectors, words]),
      [STORAGE, VECTOR_INDEX, LEXICAL_INDEX],
    )
  bind(PurgeContext, [DeletedCollections, FILE_STORE, CLOCK])
  bind(PurgeAccount, [CLOCK])
  bind(PurgeCompany, [CLOCK])
  bind(SweepCollections, [STORAGE, VECTOR_INDEX, LEXICAL_INDEX])
  bind(Sweep, [STORAGE, FILE_STORE, SweepCollections, TELEMETRY])
}

/** The doctor, which compares rows, vectors, words and files. */
function bindDoctor(bind: Bind): void {
  bind(FoundationCheck, [STORAGE, EmbeddingModels])
  bind(DocumentCheck, [STORAGE, FILE_STORE])
  bind(ContextCheck, [STORAGE, VECTOR_INDEX, LEXICAL_INDEX, EmbeddingModels, DocumentCheck])
  bind(LeftoverCheck, [STORAGE, FILE_STORE])
  bind(Examination, [FoundationCheck, ContextCheck, LeftoverCheck])
  bind(WordRepair, [STORAGE, LEXICAL_INDEX])
  bind(Repair, [STORAGE, FILE_STORE, VECTOR_INDEX, WordRepair, Sweep])
  bind(Verify, [Examination, Repair])
  bind(StartCheck, [Examination, DamagedWords, TELEMETRY])
  bind(SweepInTurn, [STORAGE, Sweep, StartCheck])
}
