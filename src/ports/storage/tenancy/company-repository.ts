import type { RowPage } from '../../../kernel/lists.js'
import type { Page } from '../page.js'

/** A company as stored. The root has no parent. */
export interface CompanyRecord {
  readonly id: number
  readonly name: string
  readonly parentId: number | null
  /** ISO 8601, UTC. */
  readonly created: string
  readonly isDisabled: boolean
  /** As that of a user, for all users and API keys of the company. */
  readonly loginEpoch: number
}

/** Selects a company and all companies below it; none if there is a cycle above it. Default: all companies. */
export interface WithinFilter {
  readonly withinCompanyId?: number
}

/**
 * Companies. As in all repositories of this file, lists are ordered by id, and reading a missing id returns
 * `undefined`.
 *
 * Deleted companies, accounts and users leave rows with only ids and times, because other rows and the audit trail
 * refer to them. No method returns, counts or changes such a row, unless its description says so.
 */
export interface CompanyRepository {
  /** Adds an enabled company. */
  insert(company: Omit<CompanyRecord, 'id' | 'isDisabled' | 'loginEpoch'>): Promise<CompanyRecord>
  get(id: number): Promise<CompanyRecord | undefined>
  /**
   * Lists all companies, the root first, or those `withinCompanyId`: that company and those below it.
   *
   * @param page default: all of them
   */
  list(filter?: WithinFilter, page?: RowPage): Promise<readonly CompanyRecord[]>
  /** As {@link list}, ids only. */
  listIds(filter: WithinFilter, page: Page): Promise<readonly number[]>
  /**
   * Checks whether the company `id` is `ancestorId` or lies below it.
   *
   * @returns true if it is; false if one of the companies does not exist, or if the path to the root has a cycle
   */
  isWithin(id: number, ancestorId: number): Promise<boolean>
  /** @returns those of these ids for which {@link isWithin} is true; reads the tree once */
  within(ids: readonly number[], ancestorId: number): Promise<ReadonlySet<number>>
  /** Moves a company to another parent. The caller has checked that this makes no cycle. */
  setParent(id: number, parentId: number): Promise<void>
  /** Enables or disables a company, and adds 1 to its `loginEpoch`. @returns true if the company exists */
  setDisabled(id: number, isDisabled: boolean): Promise<boolean>
  /**
   * Deletes a company, and erases its name. The caller has checked that no company is below it.
   *
   * @param deleted the time of the deletion
   * @returns true if the company existed
   */
  remove(id: number, deleted: string): Promise<boolean>
  /** @returns true if the company was deleted */
  isDeleted(id: number): Promise<boolean>
}

/** A region, in which accounts live. */
export interface RegionRecord {
  readonly id: number
  readonly name: string
}

/** Regions. */
export interface RegionRepository {
  /** @returns the region with this name; creates it if there is none */
  ensure(name: string): Promise<RegionRecord>
  list(): Promise<readonly RegionRecord[]>
}
