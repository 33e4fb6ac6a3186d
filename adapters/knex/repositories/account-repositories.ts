import type {
  AccountRecord,
  AccountRepository,
  RegionRecord,
  RegionRepository,
  SettingRepository,
} from '../../../src/ports/index.js'
import { boolean, number, type Row, text } from '../rows.js'
import { KnexRepository, type Session } from './base.js'

export class KnexSettingRepository extends KnexRepository implements SettingRepository {
  constructor(session: Session) {
    super(session, 'settings')
  }

  async get(key: string): Promise<string | undefined> {
    const row = (await this.rows.where('key', key).select())[0]
    return row && text(row, 'value')
  }

  async put(key: string, value: string): Promise<void> {
    await this.rows.insert({ key, value }).onConflict('key').merge()
  }
}

export class KnexRegionRepository extends KnexRepository implements RegionRepository {
  constructor(session: Session) {
    super(session, 'regions')
  }

  async ensure(name: string): Promise<RegionRecord> {
    await this.rows.insert({ name }).onConflict('name').ignore()
    const row = (await this.rows.where('name', name).select())[0]
    return { id: number(row ?? {}, 'id'), name }
  }

  async list(): Promise<readonly RegionRecord[]> {
    const rows = await this.rows.orderBy('id').select()
    return rows.map((row) => ({ id: number(row, 'id'), name: text(row, 'name') }))
  }
}

export class KnexAccountRepository extends KnexRepository implements AccountRepository {
  constructor(session: Session) {
    super(session, 'accounts')
  }

  async insert(account: Omit<AccountRecord, 'id'>): Promise<AccountRecord> {
    const id = await this.insertRow({
      company_id: account.companyId,
      application: account.application,
      region_id: account.regionId,
      name: account.name,
      is_active: account.isActive,
      created: account.created,
    })
    return { id, ...account }
  }

  async get(id: number): Promise<AccountRecord | undefined> {
    const row = await this.getRow(id)
    return row?.['deleted'] === null ? toAccount(row) : undefined
  }

  async list(filter: { readonly companyId?: number } = {}): Promise<readonly AccountRecord[]> {
    const query = this.rows.whereNull('deleted').orderBy('id')
    if (filter.companyId !== undefined) void query.where('company_id', filter.companyId)
    return (await query.select()).map(toAccount)
  }

  async setActive(id: number, isActive: boolean): Promise<boolean> {
    return (await this.rows.where('id', id).whereNull('deleted').update({ is_active: isActive })) > 0
  }

  async remove(id: number, deleted: string): Promise<boolean> {
    return (await this.rows.where('id', id).whereNull('deleted').update({ name: '', is_active: false, deleted })) > 0
  }

  async listIds(companyId: number): Promise<readonly number[]> {
    return (await this.rows.where('company_id', companyId).orderBy('id').select('id')).map((row) => number(row, 'id'))
  }
}

function toAccount(row: Row): AccountRecord {
  return {
    id: number(row, 'id'),
    companyId: number(row, 'company_id'),
    application: text(row, 'application'),
    regionId: number(row, 'region_id'),
    name: text(row, 'name'),
    isActive: boolean(row, 'is_active'),
    created: text(row, 'created'),
  }
}
