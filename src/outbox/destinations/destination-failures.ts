import { recordChange } from '../../audit/index.js'
import type {
  AccessRecord,
  Clock,
  DestinationMailPurpose,
  DestinationRecord,
  DestinationVersion,
  Repositories,
  UserRecord,
} from '../../ports/index.js'
import { type MailQueue, managersOfWebhooks } from '../../tenancy/index.js'

const DAY_MS = 86_400_000
/** The most users that get a mail about one destination. */
const MAX_RECEIVERS = 5

/** The report of an attempt about its destination. Only for destinations that ask for long retries. */
export interface AttemptReport {
  readonly destinationId: number
  /** The version that the attempt was sent to. The report says nothing about a later one. */
  readonly version: DestinationVersion
  readonly isSuccess: boolean
  /** The destination answered 410. */
  readonly isGone: boolean
  /** The delivery has used up its attempts. */
  readonly isExhausted: boolean
  /** ISO 8601. */
  readonly finishedAt: string
}

/**
 * Keeps the state of destinations whose attempts fail. After a day without a success, and when a delivery has failed for
 * a day, it queues one mail to each user who may manage the company's webhooks. A destination that answers 410 is
 * disabled, with a mail too. A success begins a new count. A report about an earlier version changes nothing: somebody may
 * have given the destination another URL, or enabled it again, while the request was in progress.
 */
export class DestinationFailures {
  constructor(
    private readonly clock: Clock,
    private readonly mailQueue: MailQueue,
  ) {}

  /** Records the reports of attempts, in the transaction that records their outcomes. */
  async record(repositories: Repositories, reports: readonly AttemptReport[]): Promise<void> {
    // One order for all transactions: with different orders, two of them could deadlock.
    for (const report of [...reports].sort((one, other) => one.destinationId - other.destinationId)) {
      if (report.isSuccess) await this.#recover(repositories, report)
      else await this.#fail(repositories, report)
    }
  }

  async #recover({ destinations }: Repositories, { destinationId, version }: AttemptReport): Promise<void> {
    const destination = await destinations.get(destinationId)
    if (destination === undefined || destination.failingSince === null || !isOf(version, destination)) return
    await destinations.update(destinationId, { failingSince: null, failureReported: null })
  }

  async #fail(repositories: Repositories, report: AttemptReport): Promise<void> {
    const { destinations } = repositories
    const { destinationId: id, version, finishedAt, isGone, isExhausted } = report
    await destinations.setIfNull(id, 'failingSince', finishedAt, version)
    if (isGone) {
      if (await destinations.setIfNull(id, 'disabledReason', 'gone', version)) await this.#disabled(repositories, id)
      return
    }
    const destination = await destinations.get(id)
    if (destination?.failureReported !== null || !isOf(version, destination)) return
    const failingMs = Date.parse(finishedAt) - Date.parse(destination.failingSince ?? finishedAt)
    if (!isExhausted && failingMs < DAY_MS) return
    if (!(await destinations.setIfNull(id, 'failureReported', finishedAt, version))) return
    await this.#mail(repositories, 'destination-failing', destination)
  }

  async #disabled(repositories: Repositories, id: number): Promise<void> {
    const now = this.clock.now()
    await repositories.destinations.update(id, { updated: now.toISOString() })
    const destination = await repositories.destinations.get(id)
    if (destination === undefined) return
    await recordChange(repositories, { kind: 'system' }, now, {
      action: 'destination.disabled',
      companyId: destination.companyId,
      targetId: id,
      details: { reason: 'gone' },
    })
    await this.#mail(repositories, 'destination-disabled', destination)
  }

  async #mail(
    repositories: Repositories,
    purpose: DestinationMailPurpose,
    { id, companyId }: { readonly id: number; readonly companyId: number },
  ): Promise<void> {
    for (const user of await receiversOf(repositories, companyId)) {
      const about = { destinationId: id, causedBy: companyId, isUnattended: true }
      await this.mailQueue.enqueueNotice(repositories, { user, purpose, ...about })
    }
  }
}

function isOf({ url, retry, updated }: DestinationVersion, destination: DestinationRecord): boolean {
  return destination.url === url && destination.retry === retry && destination.updated === updated
}

/** The users who may manage the webhooks of a company; where there is none, those of the nearest company above it. */
async function receiversOf(repositories: Repositories, companyId: number): Promise<readonly UserRecord[]> {
  const seen = new Set<number>()
  for (let id: number | null = companyId; id !== null && !seen.has(id); ) {
    seen.add(id)
    const managers: readonly AccessRecord[] = await managersOfWebhooks(repositories, id)
    const users = await Promise.all(
      [...new Set(managers.map(({ user }) => user.id))].map(async (userId) => await repositories.users.get(userId)),
    )
    const people = users.filter((user): user is UserRecord => user !== undefined && isPerson(user))
    if (people.length > 0) return people.slice(0, MAX_RECEIVERS)
    id = (await repositories.companies.get(id))?.parentId ?? null
  }
  return []
}

/** The user of an API key has an address that cannot exist. A user of the host's login may have none. */
function isPerson({ email }: UserRecord): boolean {
  return email !== '' && !email.endsWith('.invalid')
}
