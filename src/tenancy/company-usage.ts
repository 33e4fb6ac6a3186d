import type { EngineLimits } from '../kernel/limits.js'
import { parseId } from '../kernel/validate.js'
import type { Clock, ContextSize, Storage } from '../ports/index.js'
import type { TenantAccess } from './access/authorizer.js'
import { requireCompany } from './access/reach.js'

/** A number in use, beside the engine's limit. */
export interface UsedPart {
  readonly used: number
  readonly limit: number
}

/** The use of a company, without the companies below it. */
export interface CompanyUsage {
  readonly companyId: number
  /** Limit: `contextsPerCompany`. */
  readonly contexts: UsedPart
  /** Limit: `usersPerCompany`. */
  readonly users: UsedPart
  /** Keys that are neither revoked nor expired. Limit: `apiKeysPerCompany`. */
  readonly apiKeys: UsedPart
  /** Limit: `destinationsPerCompany`. */
  readonly destinations: UsedPart
  /** Documents of all contexts. */
  readonly documents: number
  /** Bytes of the current versions of all documents. */
  readonly documentBytes: number
  /**
   * The ten contexts with the most bytes, the largest first, without those that have no documents. They have no names:
   * who manages users may not be allowed to read contexts.
   */
  readonly largestContexts: readonly ContextSize[]
}

const MOST_CONTEXTS = 10

/** Reads the use of a company. */
export class ReadUsage {
  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly limits: EngineLimits,
  ) {}

  /**
   * @param companyId default: the principal's company
   * @throws InvalidInputError for an invalid id
   * @throws ForbiddenError if the company is missing or out of reach
   */
  async execute({ principal, reach }: TenantAccess, companyId: number = principal.companyId): Promise<CompanyUsage> {
    const id = parseId(companyId, 'companyId')
    const now = this.clock.now().toISOString()
    const { contextsPerCompany, usersPerCompany, apiKeysPerCompany, destinationsPerCompany } = this.limits
    return await this.storage.read(async (repositories) => {
      await requireCompany(repositories, reach, id)
      const { contexts, users, apiKeys, destinations } = repositories
      const { documents, sizeBytes, largest } = await contexts.measure(id, MOST_CONTEXTS)
      return {
        companyId: id,
        contexts: { used: await contexts.count(id), limit: contextsPerCompany },
        users: { used: await users.count(id), limit: usersPerCompany },
        apiKeys: { used: await apiKeys.countUsable(id, now), limit: apiKeysPerCompany },
        destinations: { used: await destinations.count(id), limit: destinationsPerCompany },
        documents,
        documentBytes: sizeBytes,
        largestContexts: largest,
      }
    })
  }
}
