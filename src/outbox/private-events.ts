import type { DestinationRecord, DocumentRecord, Repositories } from '../ports/index.js'
import { keepsFullSight } from '../tenancy/index.js'
import { DOCUMENT_EVENT_TYPES } from '../webhooks/index.js'

/** The members of an event about a document that everybody may know. */
export function idsOf({ contextId, publicId, uuid }: Pick<DocumentRecord, 'contextId' | 'publicId' | 'uuid'>): Readonly<
  Record<'contextId' | 'docId', number>
> & {
  readonly uuid: string
} {
  return { contextId, docId: publicId, uuid }
}

/** True if a destination may get the names and errors of documents in private contexts. */
export async function maySeePrivate(
  repositories: Repositories,
  destination: Pick<DestinationRecord, 'sight' | 'makerId' | 'companyId'>,
  now: Date,
): Promise<boolean> {
  return destination.sight === 'account' && (await keepsFullSight(repositories, destination, now))
}

/** The body of an event. */
interface Body {
  readonly data?: Readonly<Record<string, unknown>>
}

/**
 * The body of a recorded event with ids alone, if it names a document of a context that is private now, or gone.
 *
 * @returns undefined for every other event
 */
export async function withoutNames(
  { contexts }: Pick<Repositories, 'contexts'>,
  type: string,
  payload: Uint8Array | undefined,
): Promise<string | undefined> {
  if (payload === undefined || !DOCUMENT_EVENT_TYPES.some((each) => each === type)) return undefined
  const body = bodyOf(payload)
  const { contextId, docId, uuid, originalName } = body?.data ?? {}
  if (body !== undefined && originalName === undefined) return undefined
  const context = typeof contextId === 'number' ? await contexts.get(contextId) : undefined
  if (context?.shareState === 1) return undefined
  return JSON.stringify({ ...body, data: { contextId, docId, uuid } })
}

function bodyOf(payload: Uint8Array): Body | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(payload)) as Body
  } catch {
    // The bytes are damaged. Nobody knows which names they still have.
    return undefined
  }
}
