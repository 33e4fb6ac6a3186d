/** An event as recorded. */
export interface EventRecord {
  readonly id: number
  /** Unique id in the envelope. */
  readonly eventId: string
  readonly companyId: number
  readonly type: string
  /** The exact bytes of the body of every delivery. */
  readonly payload: Uint8Array
  /** Lower-case hex SHA-256 of the payload. */
  readonly payloadHash: string
  readonly created: string
}

/** Events, with the bytes that their deliveries send. */
export interface EventRepository {
  insert(event: Omit<EventRecord, 'id'>): Promise<EventRecord>
  get(id: number): Promise<EventRecord | undefined>
}
