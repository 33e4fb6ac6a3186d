import type { CompanyRecord } from '../../../src/ports/index.js'
import type { MemoryTables } from './tables.js'

type Companies = MemoryTables['companies']

/** True if a company is the ancestor itself, or is below it. False if the rows have a cycle. */
export function isWithin(companies: Companies, id: number, ancestorId: number): boolean {
  const hasRoot = pathToRoot(companies, ancestorId).at(-1)?.parentId === null
  return hasRoot && pathToRoot(companies, id).some((company) => company.id === ancestorId)
}

/** A company and all companies above it, up to the root or to the first repeated company of a cycle. */
function pathToRoot(companies: Companies, id: number): CompanyRecord[] {
  const path: CompanyRecord[] = []
  let current = companies.get(id)
  while (current !== undefined && !path.some((seen) => seen.id === current?.id)) {
    path.push(current)
    current = current.parentId === null ? undefined : companies.get(current.parentId)
  }
  return path
}
