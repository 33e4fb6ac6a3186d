import type { RowPage } from '../../../kernel/lists.js'
import type { Page } from '../page.js'
import type { Sight } from '../tenancy/api-key-repository.js'

/** The signatures of deliveries: the one of the specification, those of Standard Webhooks, or all of them. */
export const SIGNATURE_SCHEMES = ['service', 'standard', 'both'] as const

export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number]

/** The schedules of attempts: three attempts, as the specification says, or attempts over a day. */
export const RETRY_SCHEDULES = ['standard', 'long'] as const

export type RetrySchedule = (typeof RETRY_SCHEDULES)[number]

/** The reason for which a destination is disabled: it answered 410 (Gone), or somebody disabled it. */
export type DisabledReason = 'gone' | 'manual'

/** A webhook URL of a company, with its signing secret. */
export interface DestinationRecord {
  readonly id: number
  readonly companyId: number
  /** The URL that `HttpTransport.vetDestination` returned. Unique within the company. */
  readonly url: string
  readonly name: string | null
  /** The subscribed event types; null for the types of the specification. */
  readonly eventTypes: readonly string[] | null
  /** True if it also gets events of companies below its own. */
  readonly includeDescendants: boolean
  /** `account` if whoever set the URL sees all contexts of the company. Missing: `user`. */
  readonly sight?: Sight | undefined
  /** The user who set the URL; null or missing if the host or the command line did. */
  readonly makerId?: number | null | undefined
  readonly signatureScheme: SignatureScheme
  readonly retry: RetrySchedule
  /** The signing secret, encrypted. */
  readonly sealedSecret: string
  /** The secret before the last rotation, encrypted; null if there is none. */
  readonly previousSealedSecret: string | null
  /** The time from which the previous secret signs nothing; null if there is none. */
  readonly previousSecretExpires: string | null
  /** Null for an enabled destination. */
  readonly disabledReason: DisabledReason | null
  /** The end of the first failed attempt since the last success. Only for `long` retries; otherwise null. */
  readonly failingSince: string | null
  /** The time of the mails about the failures since `failingSince`; null if there are none. */
  readonly failureReported: string | null
  readonly created: string
  readonly updated: string
}

/** A destination at a time: an update of its settings changes `updated`. */
export type DestinationVersion = Pick<DestinationRecord, 'url' | 'retry' | 'updated'>

/** Destinations. Lists are ordered by id. Reading a missing id returns `undefined`. */
export interface DestinationRepository {
  /**
   * Adds a destination.
   * @throws AlreadyExistsError with the reason `destination-url-taken` if the company has a destination with this URL
   */
  insert(destination: Omit<DestinationRecord, 'id'>): Promise<DestinationRecord>
  get(id: number): Promise<DestinationRecord | undefined>
  /** Lists destinations, of all companies or of one. @param page default: all of them */
  list(filter?: { readonly companyId?: number }, page?: RowPage): Promise<readonly DestinationRecord[]>
  /** As {@link list}, ids only. */
  listIds(filter: { readonly companyId?: number }, page: Page): Promise<readonly number[]>
  /** Counts the destinations of a company. */
  count(companyId: number): Promise<number>
  /**
   * Changes the given members.
   *
   * @returns true if the destination exists
   * @throws AlreadyExistsError as {@link insert}, for another destination
   */
  update(id: number, changes: Partial<Omit<DestinationRecord, 'id' | 'companyId' | 'created'>>): Promise<boolean>
  /**
   * True if an enabled destination names this type in `eventTypes`. Cheap for types that begin with `document.`, for any
   * number of destinations.
   *
   * @param companyId counts only destinations that get the events of this company, as `DeliveryRepository.fanOut`
   *   finds them. Default: those of all companies
   */
  isNamed(type: string, companyId?: number): Promise<boolean>
  /** Lists the enabled destinations that get the events of a company and name this type, as {@link isNamed} finds them. */
  listNaming(type: string, companyId: number): Promise<readonly DestinationRecord[]>
  /**
   * Sets a member if it is null. Only one of several concurrent callers sets it.
   *
   * @param version sets nothing if the destination has another version now. Default: any version
   * @returns true if this call has set it
   */
  setIfNull<Member extends 'disabledReason' | 'failingSince' | 'failureReported'>(
    id: number,
    member: Member,
    value: NonNullable<DestinationRecord[Member]>,
    version?: DestinationVersion,
  ): Promise<boolean>
  /** Removes previous secrets that have expired. @param options.now ISO 8601 @returns the number of removed secrets */
  removeExpiredSecrets(options: { readonly now: string; readonly limit: number }): Promise<number>
  /**
   * Removes a destination and its secrets. Its deliveries stay.
   *
   * @param removed time of the removal, for `DeliveryRepository.removeOld`
   * @returns true if the destination existed
   */
  remove(id: number, removed: string): Promise<boolean>
  /** Lists the ids of the destinations of a company, removed or not. */
  idsOfCompany(companyId: number): Promise<readonly number[]>
  /** Removes the rows of all destinations of a company. The caller has removed their deliveries. */
  deleteOfCompany(companyId: number): Promise<void>
}
