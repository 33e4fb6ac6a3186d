import { InvalidInputError, type Session } from '../../../src/index.js'
import { type HeldBytes, readJson } from '../../node-kit/index.js'

/** The most messages of a batch, which only the revision 2025-03-26 has. All of them run at the same time. */
const MAX_BATCH = 20

/**
 * Reads the message of a request, or its batch of messages.
 *
 * @throws InvalidInputError for a long batch, and the errors of {@link readJson}
 */
export async function readMessage(
  request: Request,
  { maxBytes, held, session }: { readonly maxBytes: number; readonly held: HeldBytes; readonly session: Session },
): Promise<unknown> {
  return await readJson(request, { maxBytes, held, inTurn: session.inTurn, check: requireShortBatch })
}

function requireShortBatch(message: unknown): unknown {
  if (!Array.isArray(message) || message.length <= MAX_BATCH) return message
  throw new InvalidInputError('', `a batch must have at most ${MAX_BATCH} messages`)
}
