import type {
  AccountRepository,
  CompanyRepository,
  RegionRepository,
  SettingRepository,
  WithinFilter,
} from '../../../src/ports/index.js'
import { isWithin, LivingRows, type MemoryTables, pageOf } from './memory-tables.js'

export function settingRepository({ settings }: MemoryTables): SettingRepository {
  return {
    get: async (key) => settings.find((setting) => setting.key === key)?.value,
    put: async (key, value) => {
      const stored = settings.find((setting) => setting.key === key)
      if (stored) settings.update(stored.id, { value })
      else settings.insert({ key, value })
    },
  }
}

export function companyRepository({ companies }: MemoryTables): CompanyRepository {
  const live = new LivingRows(companies)
  // A deleted company has no companies below it.
  const isLiveWithin = (id: number, ancestorId: number): boolean =>
    live.get(id) !== undefined && isWithin(companies, id, ancestorId)
  const filterLive = ({ withinCompanyId }: WithinFilter) =>
    live.filter(({ id }) => withinCompanyId === undefined || isWithin(companies, id, withinCompanyId))
  return {
    insert: async (company) => live.insert({ ...company, isDisabled: false, loginEpoch: 0 }),
    get: async (id) => live.get(id),
    list: async (filter = {}, page) => pageOf(filterLive(filter), page),
    listIds: async (filter, page) => pageOf(filterLive(filter), page).map(({ id }) => id),
    isWithin: async (id, ancestorId) => isLiveWithin(id, ancestorId),
    within: async (ids, ancestorId) => new Set(ids.filter((id) => isLiveWithin(id, ancestorId))),
    setParent: async (id, parentId) => {
      live.update(id, { parentId })
    },
    setDisabled: async (id, isDisabled) =>
      live.update(id, { isDisabled, loginEpoch: (live.get(id)?.loginEpoch ?? 0) + 1 }),
    remove: async (id, deleted) => live.update(id, { name: '', isDisabled: true, deleted }),
    isDeleted: async (id) => (companies.get(id)?.deleted ?? null) !== null,
  }
}

export function regionRepository({ regions }: MemoryTables): RegionRepository {
  return {
    ensure: async (name) => regions.find((region) => region.name === name) ?? regions.insert({ name }),
    list: async () => regions.filter(),
  }
}

export function accountRepository({ accounts }: MemoryTables): AccountRepository {
  const live = new LivingRows(accounts)
  return {
    insert: async (account) => live.insert(account),
    get: async (id) => live.get(id),
    list: async ({ companyId } = {}) =>
      live.filter((account) => companyId === undefined || account.companyId === companyId),
    setActive: async (id, isActive) => live.update(id, { isActive }),
    remove: async (id, deleted) => live.update(id, { name: '', isActive: false, deleted }),
    listIds: async (companyId) => accounts.filter((account) => account.companyId === companyId).map(({ id }) => id),
  }
}
