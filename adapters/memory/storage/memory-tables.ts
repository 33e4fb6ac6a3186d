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
  RowPage,
  UploadRecord,
  UserRecord,
} from '../../../src/ports/index.js'

export interface StoredChunk extends ChunkRecord, Pick<NewChunk, 'hash' | 'windows' | 'gapBefore' | 'gapAfter'> {}

interface StoredUpload extends UploadRecord {
  readonly id: number
  readonly expiresMs: number
}

interface StoredPasswordToken extends PasswordTokenRecord {
  readonly id: number
}

interface StoredOneTimePassword extends OneTimePasswordRecord {
  readonly id: number
}

interface StoredRecoveryCode {
  readonly id: number
  readonly userId: number
  readonly hash: string
}

export interface StoredJob extends Required<Omit<NewJob, 'traceparent'>> {
  readonly traceparent: string | null
  readonly id: number
  readonly dueMs: number
  readonly leaseExpiresMs: number
  /** The latest time until it was due, or length of its lease. */
  readonly waitMs: number
  readonly fencingToken: number
  readonly failures: number
  readonly claims: number
}

/** A row that stays, as a tombstone, when its record is deleted. */
export type Tombstone<Row> = Row & { readonly deleted: string | null }

interface StoredRate {
  readonly id: number
  readonly name: string
  readonly endsMs: number
  readonly count: number
}

interface StoredRevokedToken extends RevokedToken {
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
  readonly destinations: MemoryTable<Tombstone<DestinationRecord>> = new MemoryTable(this.journal)
  readonly events: MemoryTable<EventRecord> = new MemoryTable(this.journal)
  readonly deliveries: MemoryTable<DeliveryRecord> = new MemoryTable(this.journal)
  readonly attempts: MemoryTable<AttemptRecord> = new MemoryTable(this.journal)
  readonly rates: MemoryTable<StoredRate> = new MemoryTable(this.journal)
  readonly revokedTokens: MemoryTable<StoredRevokedToken> = new MemoryTable(this.journal)
  readonly audit: MemoryTable<AuditRecord> = new MemoryTable(this.journal)
}

/** Functions that undo the changes of a transaction. They run in reverse order. */
type Journal = (() => void)[]

/** Rows by id. Every change adds its undo function to the journal. */
class MemoryTable<Row extends { readonly id: number }> {
  readonly #rows = new Map<number, Row>()
  #lastId = 0

  constructor(private readonly journal: Journal) {}

  insert(row: Omit<Row, 'id'>): Row {
    this.#lastId += 1
    const inserted = { ...structuredClone(row), id: this.#lastId } as Row
    this.#rows.set(inserted.id, inserted)
    this.journal.push(() => this.#rows.delete(inserted.id))
    return structuredClone(inserted)
  }

  get(id: number): Row | undefined {
    return structuredClone(this.#rows.get(id))
  }

  /** Copies of the rows that pass, in the order of their ids. */
  filter(passes: (row: Row) => boolean = () => true): Row[] {
    return structuredClone([...this.#rows.values()].filter(passes).sort((one, other) => one.id - other.id))
  }

  find(passes: (row: Row) => boolean): Row | undefined {
    return this.filter(passes)[0]
  }

  /** Members that are undefined stay as they are. @returns true if the row exists */
  update(id: number, changes: Partial<Omit<Row, 'id'>>): boolean {
    const before = this.#rows.get(id)
    if (before === undefined) return false
    const definedChanges = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
    this.#rows.set(id, { ...before, ...structuredClone(definedChanges) })
    this.journal.push(() => this.#rows.set(id, before))
    return true
  }

  /** @returns true if the row existed */
  delete(id: number): boolean {
    const before = this.#rows.get(id)
    if (before === undefined) return false
    this.#rows.delete(id)
    this.journal.push(() => this.#rows.set(id, before))
    return true
  }

  /** @returns the number of rows */
  deleteAll(rows: readonly { readonly id: number }[]): number {
    for (const { id } of rows) this.delete(id)
    return rows.length
  }
}

/** A page of rows that are in the order of their ids. Without a page: all rows. */
export function pageOf<Row extends { readonly id: number }>(rows: readonly Row[], page?: RowPage): readonly Row[] {
  if (page === undefined) return rows
  const { after, upTo = Infinity, limit, maxBytes = Infinity } = page
  return firstWithin(rows.filter(({ id }) => id > after && id <= upTo).slice(0, limit), maxBytes)
}

/** The first rows that have at most `maxBytes` of text together, but at least one. */
export function firstWithin<Row extends object>(rows: readonly Row[], maxBytes: number): readonly Row[] {
  let bytes = 0
  const end = rows.findIndex((row, index) => {
    bytes += countTextBytes(row)
    return index > 0 && bytes > maxBytes
  })
  return end < 0 ? rows : rows.slice(0, end)
}

function countTextBytes(row: object): number {
  return Object.values(row).reduce<number>((bytes, value: unknown) => {
    return bytes + (typeof value === 'string' ? new TextEncoder().encode(value).length : 0)
  }, 0)
}

interface StoredRow {
  readonly id: number
  readonly deleted: string | null
}

/** The rows of a table that are not deleted, without their member `deleted`. */
export class LivingRows<Row extends StoredRow> {
  constructor(private readonly table: MemoryTable<Row>) {}

  insert(row: Omit<Row, 'id' | 'deleted'>): Omit<Row, 'deleted'> {
    return withoutDeleted(this.table.insert({ ...row, deleted: null } as unknown as Omit<Row, 'id'>))
  }

  get(id: number): Omit<Row, 'deleted'> | undefined {
    const row = this.table.get(id)
    return row?.deleted === null ? withoutDeleted(row) : undefined
  }

  /** Rows that pass, in the order of their ids. */
  filter(passes: (row: Row) => boolean = () => true): Omit<Row, 'deleted'>[] {
    return this.table.filter((row) => row.deleted === null && passes(row)).map(withoutDeleted)
  }

  /** @returns true if the row exists and is not deleted */
  update(id: number, changes: Partial<Omit<Row, 'id'>>): boolean {
    return this.get(id) !== undefined && this.table.update(id, changes)
  }
}

function withoutDeleted<Row extends StoredRow>(row: Row): Omit<Row, 'deleted'> {
  const { deleted: _deleted, ...rest } = row
  return rest
}

type Companies = MemoryTables['companies']

/** True if a company is the ancestor itself, or is below it. False if the rows have a cycle. */
export function isWithin(companies: Companies, id: number, ancestorId: number): boolean {
  const hasRoot = pathToRoot(companies, ancestorId).at(-1)?.parentId === null
  return hasRoot && pathToRoot(companies, id).some((company) => company.id === ancestorId)
}

/** A company and all companies above it, up to the root or to the first repeated company of a cycle. */
function pathToRoot(companies: Companies, id: number): CompanyRecord[] {
  const path: CompanyRecord[] = []
  let current = companies.get(id)
  while (current !== undefined && !path.some((seen) => seen.id === current?.id)) {
    path.push(current)
    current = current.parentId === null ? undefined : companies.get(current.parentId)
  }
  return path
}
