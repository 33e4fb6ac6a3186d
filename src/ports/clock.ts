/** Tells the time that records are stamped with. Leases go by the database's clock instead. */
export interface Clock {
  /** The time now. */
  now(): Date
}
