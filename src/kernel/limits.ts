import { LimitReachedError } from './errors.js'
import { closedObjectSchema, integerSchema, validate } from './validate.js'

/** What one tenant may hold, have under way, and do in a time. A host sets each as it needs. */
export interface EngineLimits {
  /** Contexts of a company, on all its accounts together; default 10,000. */
  readonly contextsPerCompany: number
  /** Documents of a context; default 100,000. */
  readonly documentsPerContext: number
  /** Destinations of a company; default 100. */
  readonly destinationsPerCompany: number
  /** Users of a company; default 10,000. */
  readonly usersPerCompany: number
  /** API keys of a company that are not revoked; default 1,000. */
  readonly apiKeysPerCompany: number
  /** Tokens of a search's prompt; default 2,048. */
  readonly promptTokens: number
  /** Searches of one API key, or of one user where there is no key, that wait or run; default 32. */
  readonly searchesPerKey: number
  /** Searches of one company that wait or run; default 64. */
  readonly searchesPerCompany: number
  /** Uploads of one company that are being received; default 256. */
  readonly uploadsPerCompany: number
  /** Mails with a link to one user's address in an hour, and as many that only tell of something; default 5. */
  readonly mailsPerAddressPerHour: number
  /** Mails that one company causes in an hour, those to its users that they ask for themselves included; default 200. */
  readonly mailsPerCompanyPerHour: number
  /** Mails of the whole installation in an hour; default 2,000. */
  readonly mailsPerHour: number
  /** Destinations that a company makes or changes in a minute; default 60. */
  readonly destinationChangesPerMinute: number
  /** Test events that a company sends in a minute; default 30. */
  readonly testEventsPerMinute: number
  /** Deliveries that a company sends again in a minute; default 120. */
  readonly resendsPerMinute: number
  /** Wrong secrets or passwords of one name (client id, e-mail address) in a minute; default 10. */
  readonly failuresPerNamePerMinute: number
  /** Wrong secrets or passwords from one network address in a minute; default 50. */
  readonly failuresPerAddressPerMinute: number
  /** Requests to `/auth/*` from one network address in a minute; default 30. */
  readonly authRequestsPerAddressPerMinute: number
}

export const DEFAULT_LIMITS: EngineLimits = {
  contextsPerCompany: 10_000,
  documentsPerContext: 100_000,
  destinationsPerCompany: 100,
  usersPerCompany: 10_000,
  apiKeysPerCompany: 1_000,
  promptTokens: 2_048,
  searchesPerKey: 32,
  searchesPerCompany: 64,
  uploadsPerCompany: 256,
  mailsPerAddressPerHour: 5,
  mailsPerCompanyPerHour: 200,
  mailsPerHour: 2_000,
  destinationChangesPerMinute: 60,
  testEventsPerMinute: 30,
  resendsPerMinute: 120,
  failuresPerNamePerMinute: 10,
  failuresPerAddressPerMinute: 50,
  authRequestsPerAddressPerMinute: 30,
}

const LIMIT = integerSchema({ min: 1 }).optional()
const SCHEMA = closedObjectSchema(
  Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, LIMIT])) as Record<
    keyof EngineLimits,
    typeof LIMIT
  >,
)

/**
 * The limits that a host has set, and the defaults of the others.
 * @throws InvalidInputError for an unknown limit, and for one that is not a positive integer
 */
export function limitsOf(given: Partial<EngineLimits> = {}): EngineLimits {
  const set = Object.entries(validate(SCHEMA, given, 'limits')).filter(([, value]) => value !== undefined)
  return { ...DEFAULT_LIMITS, ...(Object.fromEntries(set) as Partial<EngineLimits>) }
}

/** Limits on what is held. */
type HeldLimit =
  | 'contextsPerCompany'
  | 'documentsPerContext'
  | 'destinationsPerCompany'
  | 'usersPerCompany'
  | 'apiKeysPerCompany'

/** How many of what each counts. */
const HELD: Readonly<Record<HeldLimit, { readonly holder: string; readonly things: string; readonly way: string }>> = {
  contextsPerCompany: { holder: 'the company', things: 'contexts', way: 'delete some' },
  documentsPerContext: { holder: 'the context', things: 'documents', way: 'delete some, or use another context' },
  destinationsPerCompany: { holder: 'the company', things: 'destinations', way: 'delete some' },
  usersPerCompany: { holder: 'the company', things: 'users', way: 'delete some' },
  apiKeysPerCompany: { holder: 'the company', things: 'API keys', way: 'revoke some' },
}

/**
 * Refuses one more of what somebody holds.
 * @param held how many there are, counted in the transaction that adds one
 * @throws LimitReachedError
 */
export function requireBelow(limits: EngineLimits, name: HeldLimit, holderId: number, held: number): void {
  const most = limits[name]
  if (held < most) return
  const { holder, things, way } = HELD[name]
  throw new LimitReachedError(
    `${holder} ${holderId} has ${held} ${things}, and may have ${most}: ${way}, or ask the operator, who sets limits.${name}`,
  )
}
