import type { AuditRefusals, ListAudit, TrimAudit } from '../audit/index.js'
import type { Contexts, HandOverContexts, ReadContextSettings, ReindexAll } from '../contexts/index.js'
import type { StartCheck, Verify } from '../doctor/index.js'
import type {
  DocumentEventEmitter,
  Documents,
  EmbeddingModels,
  IndexContextWords,
  IndexName,
  MendWords,
  ProcessDocument,
  ReadContextLanguages,
  ReindexContext,
  ReplaceDocument,
  UploadDocument,
  WaitForDocument,
  WatchDocuments,
} from '../documents/index.js'
import type { UnwritableDisk } from '../jobs/index.js'
import type { SecretBox } from '../kernel/crypto.js'
import type {
  PurgeAccount,
  PurgeCompany,
  PurgeContext,
  PurgeDocument,
  Sweep,
  SweepInTurn,
} from '../maintenance/index.js'
import type {
  DeliverEvent,
  Deliveries,
  Destinations,
  HostEventTypes,
  RecordEvent,
  TrimDeliveries,
} from '../outbox/index.js'
import type {
  Clock,
  FileStore,
  LexicalIndex,
  Mailer,
  Storage,
  Telemetry,
  TokenSigner,
  VectorIndex,
} from '../ports/index.js'
import type { PrepareChat, Search } from '../search/index.js'
import type {
  AccessRecorder,
  Administration,
  ApiKeys,
  AuthenticateToken,
  Authorizer,
  CallTurns,
  Companies,
  FindUsers,
  Initialize,
  ListPermissionOptions,
  Logins,
  Passwords,
  Permissions,
  Reach,
  ReadUsage,
  Roles,
  SendMail,
  TokenIssuer,
  Tokens,
  Users,
} from '../tenancy/index.js'

/** The objects that an engine works with, wired to its ports. */
export interface EngineParts {
  readonly accessRecorder: AccessRecorder
  readonly administration: Administration
  readonly apiKeys: ApiKeys
  readonly auditRefusals: AuditRefusals
  readonly authenticateToken: AuthenticateToken
  readonly authorizer: Authorizer
  readonly callTurns: CallTurns
  readonly clock: Clock
  readonly companies: Companies
  readonly contexts: Contexts
  readonly deliverEvent: DeliverEvent
  readonly deliveries: Deliveries
  readonly destinations: Destinations
  readonly documentEvents: DocumentEventEmitter
  readonly documents: Documents
  readonly embeddingModels: EmbeddingModels
  readonly fileStore: FileStore
  readonly hostEventTypes: HostEventTypes
  /** The reach of the host's own administration. */
  readonly hostReach: Reach
  readonly indexContextWords: IndexContextWords
  readonly indexName: IndexName
  readonly initialize: Initialize
  readonly lexicalIndex: LexicalIndex
  readonly listAudit: ListAudit
  readonly listPermissionOptions: ListPermissionOptions
  readonly logins: Logins
  readonly mailer: Mailer
  readonly mendWords: MendWords
  readonly passwords: Passwords
  readonly userPermissions: Permissions
  readonly prepareChat: PrepareChat
  readonly processDocument: ProcessDocument
  readonly purgeAccount: PurgeAccount
  readonly purgeCompany: PurgeCompany
  readonly purgeContext: PurgeContext
  readonly purgeDocument: PurgeDocument
  readonly readContextLanguages: ReadContextLanguages
  readonly readContextSettings: ReadContextSettings
  readonly readUsage: ReadUsage
  readonly recordEvent: RecordEvent
  readonly reindexAll: ReindexAll
  readonly reindexContext: ReindexContext
  readonly roles: Roles
  readonly search: Search
  readonly secretBox: SecretBox
  readonly sendMail: SendMail
  readonly startCheck: StartCheck
  readonly storage: Storage
  readonly sweep: Sweep
  readonly sweepInTurn: SweepInTurn
  readonly telemetry: Telemetry
  readonly tokenIssuer: TokenIssuer
  readonly tokenSigner: TokenSigner
  readonly tokens: Tokens
  readonly trimAudit: TrimAudit
  readonly trimDeliveries: TrimDeliveries
  /** The disk for which the documents of this process wait. */
  readonly unwritableDisk: UnwritableDisk
  readonly uploadDocument: UploadDocument
  readonly replaceDocument: ReplaceDocument
  readonly users: Users
  readonly findUsers: FindUsers
  readonly handOverContexts: HandOverContexts
  readonly vectorIndex: VectorIndex
  readonly verify: Verify
  readonly waitForDocument: WaitForDocument
  readonly watchDocuments: WatchDocuments
}
