/** An application's account in a region, owned by a company. */
export interface AccountRecord {
  readonly id: number
  readonly companyId: number
  /** Key of the application: `assistant` or `tenant`. */
  readonly application: string
  readonly regionId: number
  readonly name: string
  readonly isActive: boolean
  readonly created: string
}

/** Accounts of companies. */
export interface AccountRepository {
  insert(account: Omit<AccountRecord, 'id'>): Promise<AccountRecord>
  get(id: number): Promise<AccountRecord | undefined>
  list(filter?: { readonly companyId?: number }): Promise<readonly AccountRecord[]>
  /** Activates or deactivates an account. @returns true if the account exists */
  setActive(id: number, isActive: boolean): Promise<boolean>
  /** Deletes an account, and erases its name. @param deleted the time of the deletion @returns true if it existed */
  remove(id: number, deleted: string): Promise<boolean>
  /** Lists the ids of the accounts of a company, deleted or not. */
  listIds(companyId: number): Promise<readonly number[]>
}
