import type { UseQueryResult } from '@tanstack/react-query'
import { type Company, useAllCompanies } from '../api/companies.js'
import { useTexts } from '../texts/phrases.js'
import { TEXTS } from './people-texts.js'

export type { Company }

/** The companies that the user manages, as a tree. */
export interface Companies {
  readonly all: readonly Company[]
  /** The topmost company. Undefined only if it was deleted meanwhile. */
  readonly root: Company | undefined
  readonly get: (id: number) => Company | undefined
  readonly below: (id: number) => readonly Company[]
}

/** Reads all companies: a tree needs all of them. */
export function useCompanies(): UseQueryResult<Companies> {
  return useAllCompanies({ select: treeOf })
}

function treeOf(all: readonly Company[]): Companies {
  const byId = new Map(all.map((company) => [company.id, company]))
  const byParent = new Map<number | null, Company[]>()
  for (const company of all) byParent.set(company.parentId, [...(byParent.get(company.parentId) ?? []), company])
  return {
    all,
    root: all.find(({ parentId }) => parentId === null),
    get: (id) => byId.get(id),
    below: (id) => byParent.get(id) ?? [],
  }
}

/** A function that names a company, also one that is out of reach. */
export function useCompanyName(): (id: number) => string {
  const texts = useTexts(TEXTS)
  const { data } = useCompanies()
  return (id) => data?.get(id)?.name ?? texts.unnamedCompany(id)
}
