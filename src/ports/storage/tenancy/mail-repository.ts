import type { MailPurpose } from '../../mailer.js'
import type { UsersFilter } from './user-repository.js'

/** A mail that waits to be sent. The engine makes its link when it sends the mail, so no secret is stored. */
export interface MailRecord {
  readonly id: number
  readonly userId: number
  readonly purpose: MailPurpose
  /** The destination that the mail is about; null for every other mail. */
  readonly destinationId: number | null
  readonly created: string
}

/** A new mail. `destinationId` is null by default. */
export type NewMailRecord = Omit<MailRecord, 'id' | 'destinationId'> & Partial<Pick<MailRecord, 'destinationId'>>

/** Mails that wait to be sent. */
export interface MailRepository {
  insert(mail: NewMailRecord): Promise<MailRecord>
  get(id: number): Promise<MailRecord | undefined>
  /** Counts the mails that wait for a user. @param purposes only mails with these purposes. Default: all mails */
  countOfUser(userId: number, purposes?: readonly MailPurpose[]): Promise<number>
  /** Removes the mails that wait for users. @returns the ids of the removed mails; each of them has a job to cancel */
  removeOf(of: UsersFilter): Promise<readonly number[]>
  /** Removes a mail. Does nothing if it is missing. */
  remove(id: number): Promise<void>
}
