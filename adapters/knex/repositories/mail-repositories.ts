import type {
  MailPurpose,
  MailRecord,
  MailRepository,
  PasswordTokenRecord,
  PasswordTokenRepository,
  UsersFilter,
} from '../../../src/ports/index.js'
import { number, text } from '../rows.js'
import { KnexRepository, type Session } from './base.js'
import { idsOfUsers } from './users-filter.js'

export class KnexPasswordTokenRepository extends KnexRepository implements PasswordTokenRepository {
  constructor(session: Session) {
    super(session, 'password_tokens')
  }

  async insert({ userId, tokenHash, expires }: PasswordTokenRecord): Promise<void> {
    await this.rows.insert({ user_id: userId, token_hash: tokenHash, expires })
  }

  async find(tokenHash: string): Promise<PasswordTokenRecord | undefined> {
    const row = (await this.rows.where('token_hash', tokenHash).select())[0]
    return row && { userId: number(row, 'user_id'), tokenHash, expires: text(row, 'expires') }
  }

  async remove(tokenHash: string): Promise<boolean> {
    return (await this.rows.where('token_hash', tokenHash).delete()) > 0
  }

  async countOfUser(userId: number, now: string): Promise<number> {
    return (await this.rows.where('user_id', userId).where('expires', '>', now).select('token_hash')).length
  }

  async removeOfUser(userId: number): Promise<void> {
    await this.rows.where('user_id', userId).delete()
  }

  async removeOfCompany(companyId: number): Promise<void> {
    await this.rows.whereIn('user_id', idsOfUsers(this.session, { companyId })).delete()
  }

  async removeExpired(now: string): Promise<void> {
    await this.rows.where('expires', '<=', now).delete()
  }
}

export class KnexMailRepository extends KnexRepository implements MailRepository {
  constructor(session: Session) {
    super(session, 'mails')
  }

  async insert(mail: Omit<MailRecord, 'id'>): Promise<MailRecord> {
    const { userId, purpose, created } = mail
    return { id: await this.insertRow({ user_id: userId, purpose, created }), ...mail }
  }

  async get(id: number): Promise<MailRecord | undefined> {
    const row = await this.getRow(id)
    return (
      row && {
        id,
        userId: number(row, 'user_id'),
        purpose: text(row, 'purpose') as MailPurpose,
        created: text(row, 'created'),
      }
    )
  }

  async countOfUser(userId: number, purposes?: readonly MailPurpose[]): Promise<number> {
    const mailsOfUser = this.rows.where('user_id', userId)
    return (await (purposes === undefined ? mailsOfUser : mailsOfUser.whereIn('purpose', purposes)).select('id')).length
  }

  async removeOf(filter: UsersFilter): Promise<readonly number[]> {
    const mailsOfUsers = () => this.rows.whereIn('user_id', idsOfUsers(this.session, filter))
    const ids = (await mailsOfUsers().orderBy('id').select('id')).map((row) => number(row, 'id'))
    await mailsOfUsers().delete()
    return ids
  }

  async remove(id: number): Promise<void> {
    await this.rows.where('id', id).delete()
  }
}
