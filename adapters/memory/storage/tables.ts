import type {
  AccountRecord,
  ApiKeyRecord,
  AttemptRecord,
  AuditRecord,
  ChunkRecord,
  CompanyRecord,
  ContextRecord,
  DeliveryRecord,
  DestinationRecord,
  DocumentRecord,
  EventRecord,
  MailRecord,
  NewChunk,
  NewJob,
  OneTimePasswordRecord,
  PasswordTokenRecord,
  PermissionRecord,
  RegionRecord,
  RevokedToken,
  RoleRecord,
  UploadRecord,
  UserRecord,
} from '../../../src/ports/index.js'
import { type Journal, MemoryTable } from './memory-table.js'

export interface StoredChunk extends ChunkRecord, Pick<NewChunk, 'hash' | 'windows'> {}

export interface StoredUpload extends UploadRecord {
  readonly id: number
  readonly expiresMs: number
}

export interface StoredPasswordToken extends PasswordTokenRecord {
  readonly id: number
}

export interface StoredOneTimePassword extends OneTimePasswordRecord {
  readonly id: number
}

export interface StoredRecoveryCode {
  readonly id: number
  readonly userId: number
  readonly hash: string
}

export interface StoredJob extends Required<NewJob> {
  readonly id: number
  readonly dueMs: number
  readonly leaseExpiresMs: number
  readonly fencingToken: number
  readonly failures: number
  readonly claims: number
}

export interface StoredDestination extends DestinationRecord {
  readonly removed: string | null
}

/** A row that stays, as a tombstone, when its record is deleted. */
type Tombstone<Row> = Row & { readonly deleted: string | null }

export interface StoredRate {
  readonly id: number
  readonly name: string
  readonly endsMs: number
  readonly count: number
}

export interface StoredRevokedToken extends RevokedToken {
  readonly id: number
}

/** All tables of a memory storage. */
export class MemoryTables {
  readonly journal: Journal = []
  readonly settings: MemoryTable<{ id: number; key: string; value: string }> = new MemoryTable(this.journal)
  readonly companies: MemoryTable<Tombstone<CompanyRecord>> = new MemoryTable(this.journal)
  readonly regions: MemoryTable<RegionRecord> = new MemoryTable(this.journal)
  readonly accounts: MemoryTable<Tombstone<AccountRecord>> = new MemoryTable(this.journal)
  readonly roles: MemoryTable<RoleRecord> = new MemoryTable(this.journal)
  readonly users: MemoryTable<Tombstone<UserRecord>> = new MemoryTable(this.journal)
  readonly permissions: MemoryTable<PermissionRecord> = new MemoryTable(this.journal)
  readonly apiKeys: MemoryTable<ApiKeyRecord> = new MemoryTable(this.journal)
  readonly passwordTokens: MemoryTable<StoredPasswordToken> = new MemoryTable(this.journal)
  readonly oneTimePasswords: MemoryTable<StoredOneTimePassword> = new MemoryTable(this.journal)
  readonly recoveryCodes: MemoryTable<StoredRecoveryCode> = new MemoryTable(this.journal)
  readonly mails: MemoryTable<MailRecord> = new MemoryTable(this.journal)
  readonly contexts: MemoryTable<ContextRecord> = new MemoryTable(this.journal)
  readonly documents: MemoryTable<DocumentRecord> = new MemoryTable(this.journal)
  readonly uploads: MemoryTable<StoredUpload> = new MemoryTable(this.journal)
  readonly chunks: MemoryTable<StoredChunk> = new MemoryTable(this.journal)
  readonly jobs: MemoryTable<StoredJob> = new MemoryTable(this.journal)
  readonly destinations: MemoryTable<StoredDestination> = new MemoryTable(this.journal)
  readonly events: MemoryTable<EventRecord> = new MemoryTable(this.journal)
  readonly deliveries: MemoryTable<DeliveryRecord> = new MemoryTable(this.journal)
  readonly attempts: MemoryTable<AttemptRecord> = new MemoryTable(this.journal)
  readonly rates: MemoryTable<StoredRate> = new MemoryTable(this.journal)
  readonly revokedTokens: MemoryTable<StoredRevokedToken> = new MemoryTable(this.journal)
  readonly audit: MemoryTable<AuditRecord> = new MemoryTable(this.journal)
}
