import type { CompanyRecord } from '../../../src/ports/index.js'
import type { MemoryTables } from './tables.js'

type Companies = MemoryTables['companies']

/** Whether a company is another or lies below it; false where rows form a cycle. */
export function isWithin(companies: Companies, id: number, ancestorId: number): boolean {
  const hasRoot = wayUp(companies, ancestorId).at(-1)?.parentId === null
  return hasRoot && wayUp(companies, id).some((company) => company.id === ancestorId)
}

/** A company and those above it, until the root, or until a cycle comes round. */
function wayUp(companies: Companies, id: number): CompanyRecord[] {
  const way: CompanyRecord[] = []
  let at = companies.get(id)
  while (at !== undefined && !way.some((seen) => seen.id === at?.id)) {
    way.push(at)
    at = at.parentId === null ? undefined : companies.get(at.parentId)
  }
  return way
}
