/** A role: the capabilities of its holder on accounts of the role's applications. */
export interface RoleRecord {
  readonly id: number
  /** Id of the company that it belongs to; null for a system-wide role. */
  readonly companyId: number | null
  readonly name: string
  readonly applications: readonly string[]
  readonly capabilities: readonly string[]
  /** A disabled role grants nothing. */
  readonly isDisabled: boolean
}

/** Roles. */
export interface RoleRepository {
  /** Adds an enabled role. */
  insert(role: Omit<RoleRecord, 'id' | 'isDisabled'>): Promise<RoleRecord>
  get(id: number): Promise<RoleRecord | undefined>
  /**
   * Lists all roles, or system-wide ones with those of some companies: of the company `usableBy` alone, or of all
   * companies `withinCompanyId`, as `WithinFilter` says.
   */
  list(filter?: { readonly usableBy: number } | { readonly withinCompanyId: number }): Promise<readonly RoleRecord[]>
  /** Enables or disables a role. @returns true if the role exists */
  setDisabled(id: number, isDisabled: boolean): Promise<boolean>
  /** Removes a role. The caller has checked that no permission has it. @returns true if the role existed */
  delete(id: number): Promise<boolean>
  /** Removes the roles of a company. The caller has checked that no permission has one of them. */
  deleteOfCompany(companyId: number): Promise<void>
}
